//! Database tasks, which many frameworks name alike: `rails db:drop`, `diesel database reset`.

use crate::prelude::*;

/// Parts of a task's name that mean a database.
const DATABASES: &str = "database db ecto migrate schema sql";

/// Parts of a task's name that mean that its data is deleted.
const EMPTY: &str = "clean drop fresh purge refresh replant reset truncate wipe zap";

/// Returns `true` for a program that runs tasks for databases.
pub(super) fn runs(program: &str) -> bool {
    const RUNNERS: &str = "airflow alembic artisan atlas console diesel django django-admin dotnet flask manage.py \
        mikro-orm mix prisma rails rake sea-orm-cli sequelize sequelize-cli sqlx supabase typeorm wp";
    lists(RUNNERS, program)
}

/// Returns `true` for tasks on the test database, which each run makes again: `RAILS_ENV=test rake db:drop`.
pub(super) fn are_of_tests(command: &Command, program: &str, words: &[Word]) -> bool {
    let variable = match program {
        "artisan" | "console" => "APP_ENV",
        "mix" => "MIX_ENV",
        "rails" | "rake" => "RAILS_ENV",
        "sequelize" | "sequelize-cli" => "NODE_ENV",
        _ => return false,
    };
    let own = |word: &Word| Some(word.literal()?.strip_prefix(variable)?.strip_prefix('=')?.to_owned());
    let assigned = command
        .assignments
        .iter()
        .filter(|assignment| assignment.name == variable)
        .map(|assignment| assignment.value.literal().unwrap_or_default().to_owned());
    // Rake also takes variables among its tasks.
    let values: Vec<String> = assigned.chain(words.iter().filter_map(own)).collect();
    let is_of_tests = matches!(&values[..], [value] if lists("test testing", value));
    // Another user, a container, or another machine has its own variables.
    let is_here = |via: &Via| match via {
        Via::Prefix(name) => lists("bundle npx time timeout", name),
        _ => true,
    };
    let names_database = |name: &str| name.contains("DATABASE") || name.contains("DB_");
    is_of_tests
        && !command.is("heroku sail")
        && !command.assignments.iter().any(|assignment| names_database(&assignment.name))
        && command.via.iter().all(is_here)
        && words.iter().all(|word| {
            word.literal().is_some_and(|text| !text.starts_with('-') && !text.contains('=') && !text.ends_with(":all"))
                || own(word).is_some()
        })
}

/// Returns `true` if a program would empty a database, by a task of several parts (`db:drop:primary`) or by two words
/// (`database drop`).
pub(super) fn empties(program: &str, words: &[Word]) -> bool {
    if !runs(program) {
        return false;
    }
    let mut is_of_database = false;
    effects::verbs(program, words).filter_map(Word::literal).any(|text| {
        let is_task = text.contains(':') || program == "mix";
        let has_one = |parts: &str| is_task && text.split([':', '_', '.']).any(|part| lists(parts, part));
        // Each run of the tests empties its own database.
        let is_one = has_one(DATABASES) && has_one(EMPTY) && !has_one("test");
        let is_behind = is_of_database && lists(EMPTY, text);
        is_of_database |= lists(DATABASES, text);
        is_one || is_behind
    })
}
