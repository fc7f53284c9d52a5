//! `redact_output` on the results of each tool.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_guard::redact::{Redacted, redact_output, report_secrets};
use serde_json::{Value, json};

/// An invented token in pieces, because scanners of repositories would find it here.
fn token() -> String {
    ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat()
}

const MARKED: &str = "ghp_[hookkit: GitHub token removed]";

/// Replaces a word in each string by another text.
fn replaced(value: &Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => text.replace(from, to).into(),
        Value::Array(all) => all.iter().map(|value| replaced(value, from, to)).collect(),
        Value::Object(all) => {
            let all = all.iter().map(|(name, value)| (name.clone(), replaced(value, from, to)));
            Value::Object(all.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn the_result_of_each_tool_keeps_its_shape() {
    let mut count = 0;
    for name in Recorded::names().filter(|name| name.starts_with("PostToolUse ")) {
        let session = Session::new();
        session.run(redact_output::DEF, &Recorded::of(&name)).assert_passed();
        let results = [
            json!([{"type": "text", "text": token()}, {"type": "image", "data": "aGVsbG8="}]),
            json!({"stdout": format!("a {}\n", token()), "more": {"lines": [token(), 1, null, true]}, "code": 1.50}),
            json!(token()),
        ];
        for result in results {
            let event = Recorded::of(&name).with("tool_response", &result);
            let expected = replaced(&result, &token(), MARKED);
            let verdict = session.run(redact_output::DEF, &event);
            verdict.assert_effect("updatedToolOutput", &expected).assert_goes_ahead();
            verdict.assert_model_reads("hookkit replaced secrets in this result with markers");
            count += 1;
        }
    }
    assert!(count >= 60, "{count}");
}

#[test]
fn a_member_has_a_secret_by_its_name() {
    let session = Session::new();
    let result =
        json!({"db_password": "q7Zk3XvW9bRm2TfYd8", "env": [{"name": "DB_TOKEN", "value": "s3cr3t,pw1"}], "id": "a"});
    let event = Recorded::of("PostToolUse mcp__srv__echo").with("tool_response", result);
    let expected = json!({
        "db_password": "[hookkit: value of db_password removed]",
        "env": [{"name": "DB_TOKEN", "value": "[hookkit: value of DB_TOKEN removed]"}],
        "id": "a",
    });
    session.run(redact_output::DEF, &event).assert_effect("updatedToolOutput", &expected);
}

#[test]
fn a_private_key_in_several_strings_is_taken_out_of_all() {
    let digits = "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6KvR8mq7Zk3XvW9bRm2TfYd8LhPc5NsGj4";
    let key = |prefix: &str, line: &str| format!("{prefix}{}", line.replace("DIGITS", digits));
    for prefix in ["+", "  2\t", "key.pem:12:", "key.pem-12-", "> ", "| "] {
        let lines = ["-----BEGIN PRIVATE KEY-----", "DIGITS", "DIGITS", "-----END PRIVATE KEY-----"];
        let lines = lines.map(|line| key(prefix, line));
        for result in [json!({"lines": lines}), json!({"stdout": lines.join("\n")})] {
            let event = Recorded::of("PostToolUse Bash").with("tool_response", &result);
            let verdict = Session::new().run(redact_output::DEF, &event);
            verdict.assert_effect_contains("updatedToolOutput", "[hookkit: private key removed]");
            assert!(!format!("{verdict:?}").contains(&digits[..16]), "{prefix:?}");
        }
    }
}

#[test]
fn values_of_the_sessions_variables_are_taken_out() {
    let mut session = Session::new();
    session.set("PGPASSWORD", "correct-horse").set("MINE", "battery-staple");
    let event = Recorded::of("PostToolUse Bash").with("tool_response.stdout", "correct-horse battery-staple");
    let stdout = |session: &Session, expected: &str| {
        let verdict = session.run(redact_output::DEF, &event);
        verdict.assert_effect_contains("updatedToolOutput", expected);
    };
    stdout(&session, "[hookkit: value of PGPASSWORD removed] battery-staple");
    let config = Redacted { variables: vec!["MINE".to_owned()] };
    session.configure(redact_output::DEF, &config);
    stdout(&session, "correct-horse [hookkit: value of MINE removed]");
}

#[test]
fn a_long_result_is_looked_through() {
    let text = format!("{}DB_PASSWORD=s3cr3tpw\n", "A line: of = output\n".repeat(100_000));
    let event = Recorded::of("PostToolUse Bash").with("tool_response.stdout", text);
    let verdict = Session::new().run(redact_output::DEF, &event);
    verdict.assert_effect_contains("updatedToolOutput", "DB_PASSWORD=[hookkit: value of DB_PASSWORD removed]");
}

#[test]
fn the_model_is_warned_of_secrets_in_an_error() {
    let run = |error: &str| {
        let event = Recorded::of("PostToolUseFailure Bash").with("error", error);
        Session::new().run(report_secrets::DEF, &event)
    };
    run("Exit code 1\nno secret").assert_passed();
    let verdict = run(&format!("Exit code 1\n{} DB_PASSWORD=s3cr3tpw", token()));
    verdict.assert_model_reads("The error of Bash contains secrets");
    verdict.assert_model_reads("GitHub token, value of DB_PASSWORD. Do not repeat them");
}
