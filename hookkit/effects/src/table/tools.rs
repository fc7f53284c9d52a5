//! Build tools, test runners and linters.

use super::{PROGRAM, Program};
use crate::Operands;

pub(super) const TOOLS: &[Program] = &[
    Program {
        names: "cargo",
        builds: Some(
            "build/b/check/c/test/t/clippy/doc/bench/tree/metadata/pkgid/locate-project/read-manifest/verify-project | \
            fmt --check | fmt --all --check | nextest run/list",
        ),
        options: "-- -A -D -F -W -d -e -i -j -n -p -r -vv --all-features --all-targets --allow --benches --bench --bin --bins \
            --check --deny --doc --document-private-items --duplicates --edges --example --examples --exact --features \
            --format-version --frozen --ignored --include-ignored --invert --jobs --keep-going --lib --locked \
            --manifest-path --message-format --no-default-features --no-deps --no-fail-fast --no-run --nocapture --offline \
            --package --prefix --profile --release --show-output --skip --target --test --test-threads --tests --timings --warn \
            --workspace",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "cargo",
        edits: Some("fmt | clippy --fix"),
        options: "--all --all-features --all-targets --allow-dirty --allow-staged --check --fix --manifest-path --package -p \
            --workspace",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "npm pnpm yarn",
        before: "--silent -s --workspace: -w: --filter: -F:",
        builds: Some(
            "test/t/tst | run/run-script build/build:*/check/check:*/lint/lint:*/test/test:*/tsc/type-check/typecheck/\
            format:check/fmt:check | \
            list/ls/why/outdated/info/audit/licenses/root/bin | workspaces info",
        ),
        options: "-- -D -P -g -i -t --bail --ci --coverage --dev --grep --if-present --prod --recursive --run \
            --runInBand --silent --testNamePattern --workspaces --ws",
        unless: "deploy *fix publish release update",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "bun",
        builds: Some("test | run build/check/lint/test/tsc/typecheck/type-check $"),
        options: "-t --bail --coverage --timeout",
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "pnpm yarn",
        builds: Some("build/check/lint/tsc/typecheck/type-check $"),
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "bun npm pnpm yarn",
        edits: Some("run/run-script fix/fix:*/format/format:*/fmt/lint:fix $"),
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "go",
        builds: Some("build/vet/test/list/doc/version/env"),
        // What is behind an `@` is fetched.
        unless: "*@",
        options: "-bench -benchmem -count -cover -failfast -json -p -parallel -race -run -short -tags -timeout \
            -v -x",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "gofmt go",
        edits: Some("-l/-d/-s/-w | fmt/fix"),
        options: "-d -e -l -s -w",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "make gmake",
        before: "-B -i -j -k -n -s --dry-run --keep-going --silent",
        builds: Some(
            "$ | all/build/check/ci/fmt-check/format-check/lint/test/tests/typecheck/unit-test/unit-tests/vet $",
        ),
        ..PROGRAM
    },
    Program {
        names: "pytest py.test",
        builds: Some(""),
        options: "-k -m -n -r -rA -ra -s -vv -x --cov --co --collect-only --disable-warnings --durations --exitfirst \
            --failed-first --ff --last-failed --lf --maxfail --no-cov --no-header --no-summary --strict-markers --tb --timeout",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "python python3",
        builds: Some("-m pytest/unittest/mypy/pyright/flake8/pylint"),
        options: "-k -m -n -ra -s -vv -x --durations --exitfirst --lf --maxfail --strict --tb",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "ruff",
        builds: Some("check | format --check/--diff | rule | linter | config | version"),
        options: "--check --diff --exclude --extend-select --ignore --line-length --no-cache --no-fix --output-format \
            --preview --select --show-fixes --statistics --target-version --unsafe-fixes --watch",
        edits: Some("format | check --fix"),
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "black isort",
        builds: Some("--check*/--diff/-c/-d"),
        edits: Some(""),
        options: "-c -d -l --check --check-only --config --diff --exclude --line-length --profile --skip-string-normalization",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "actionlint flake8 hadolint mypy pyright shellcheck yamllint",
        builds: Some(""),
        options: "-S -e -m -p -s -x --exclude --extend-ignore --ignore --ignore-missing-imports --max-complexity \
            --max-line-length --module --no-error-summary --package --pretty --select --severity --show-error-codes \
            --statistics --strict",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "phpunit pylint rspec",
        builds: Some(""),
        options: "--disable --enable --fail-fast --filter --testdox",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "tsc",
        builds: Some(""),
        options: "-b -p -w --build --incremental --listFiles --noEmit --pretty --project --showConfig --skipLibCheck --strict \
            --version --watch",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "eslint",
        builds: Some(""),
        options: "--cache --ext --fix-dry-run --ignore-pattern --max-warnings --no-error-on-unmatched-pattern --print-config \
            --report-unused-disable-directives --rule",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "eslint",
        edits: Some("--fix"),
        options: "--cache --ext --fix --max-warnings",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "prettier",
        builds: Some("--check/-c/-l/--list-different"),
        edits: Some("--write/-w"),
        options: "-u --ignore-unknown",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "jest mocha vitest",
        builds: Some(""),
        options: "-b -g -i -t -w --bail --ci --coverage --grep --no-coverage --passWithNoTests --run --runInBand --silent \
            --testNamePattern --testPathPattern --watch --watchAll",
        unless: "init",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "uv",
        builds: Some("tree | export | pip list/freeze/show/check/tree | python list/find | cache dir | version $"),
        options: "--all-extras --all-groups --all-versions --exclude --extra --format --frozen --group --invert --locked \
            --no-dedupe --no-dev --no-hashes --only-dev --only-group --outdated --package --prune --universal",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "terraform tofu",
        builds: Some(
            "fmt -check | fmt -check=true | fmt -diff -check | fmt -recursive -check | validate | plan | version | providers $ | graph | state list/show | \
            workspace show/list | show $",
        ),
        edits: Some("fmt"),
        options: "-compact-warnings -detailed-exitcode -diff -input -json -list -lock -lock-timeout -no-color -parallelism \
            -recursive -refresh -refresh-only -target -type -var -plan",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "cdk",
        builds: Some("list/ls/diff/synth/synthesize/doctor/metadata/notices | context $"),
        options: "-e --exclusively --fail --no-lookups --security-only --strict",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "./gradlew gradle ./mvnw mvn",
        before: "-B -o -q --console: --info --offline --quiet --stacktrace --tests: -x: -DskipTests",
        builds: Some(
            "assemble/build/check/classes/compile/compileJava/compileKotlin/compileTestJava/dependencies/dependency:tree/lint/package/\
            projects/tasks/test/test-compile/validate/verify $",
        ),
        ..PROGRAM
    },
    Program {
        names: "cmake ctest dotnet mix swift",
        builds: Some("--build | --output-on-failure | test/build/compile | format --check-formatted"),
        options: "-R -c -j --configuration --filter --no-build --no-restore --parallel --verbosity --warnings-as-errors",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        // A specifier is of a package that is fetched.
        names: "deno",
        builds: Some("test/check/lint | fmt --check"),
        options: "--filter --fail-fast",
        unless: "*:",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "deno mix rustfmt swift-format",
        edits: Some("fmt/format | --edition"),
        operands: Operands::Files,
        ..PROGRAM
    },
];
