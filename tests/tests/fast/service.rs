//! Hooks in a service answer as in processes of their own.

use hookkit_service::{Keys, Service};
use hookkit_tests::fixture_hooks;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::run_hook;

#[test]
fn each_recorded_payload_has_the_answer_of_a_process() -> Result<()> {
    let hooks = hookkit_service::hooks![
        fixture_hooks::careful,
        fixture_hooks::complain,
        fixture_hooks::deny_pushes,
        fixture_hooks::describe_edit,
        fixture_hooks::drop_prompt,
        fixture_hooks::failing_guard,
        fixture_hooks::failing_observer,
        fixture_hooks::hold,
        fixture_hooks::lenient_guard,
        fixture_hooks::no_shell,
        fixture_hooks::remind
    ];
    let service = Service::new(hooks, Keys::none(), "127.0.0.1:0".parse()?)?;
    let project = workspace::installed("fixture-hooks")?;
    let mut compared = BTreeMap::new();
    for entry in fs::read_dir(repository().join("tests/fixtures/payloads"))? {
        let path = entry?.path();
        let payload = fs::read(&path)?;
        let event: Value = serde_json::from_slice(&payload)?;
        for hook in hooks {
            if hook.entries.iter().all(|entry| event["hook_event_name"] != entry.event.name) {
                continue;
            }
            let name = hook.declared.name;
            let process = run_hook(&installed(project.path(), name)?, &payload)?;
            let request = http::Request::post(format!("/hooks/{name}")).body(&payload)?;
            let answer = service.answer(&request);
            assert_eq!(answer.status(), 200);
            let expected = match process.stdout.is_empty() {
                true => "{}",
                false => &process.stdout,
            };
            let found = String::from_utf8_lossy(answer.body());
            assert_eq!(found, expected, "{name} on {}", path.display());
            *compared.entry(name).or_insert(0) += 1;
        }
    }
    assert_eq!(compared.len(), hooks.len(), "{compared:?}");
    Ok(())
}
