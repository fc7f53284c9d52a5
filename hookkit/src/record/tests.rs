use serde_json::Value;

use super::*;

/// Returns a GitHub token. It is split here, because repository scanners would find it.
fn token() -> String {
    format!("ghp_{}{}", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4", "Bw6KvR8m")
}

fn masked_text(payload: &str) -> String {
    String::from_utf8(masked_json(payload.as_bytes())).unwrap()
}

#[test]
fn a_payload_is_on_one_line_and_only_its_secrets_are_masked() {
    let hidden = format!("ghp_{}", "x".repeat(36));
    test_support::lines!("lines/masked.txt").check(|_, payload| {
        let payload = payload.replace("TOKEN", &token()).replace("REST", &token()[2..]);
        masked_text(&payload).replace(&hidden, "HIDDEN")
    });
}

#[test]
fn a_private_key_in_an_answer_is_masked_whether_it_is_json_or_not() {
    let digits = "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6KvR8mq7Zk3XvW9bRm2TfYd8LhPc5NsGj4";
    let key = format!("-----BEGIN {0}-----\n{digits}\n{digits}\n-----END {0}-----\n", "PRIVATE KEY");
    let json = Json::encode(&std::collections::BTreeMap::from([("context", &key)])).unwrap();
    for output in [key.as_bytes(), json.text().as_bytes(), b"", b"plain"] {
        let masked = masked_output(output).unwrap();
        assert!(!masked.contains(&digits[..16]), "{masked}");
        assert_eq!(masked.len(), output.len());
    }
}

#[test]
fn a_private_key_in_the_lines_of_a_patch_is_masked() {
    let digits = "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6KvR8mq7Zk3XvW9bRm2TfYd8LhPc5NsGj4";
    let begin = format!("+-----BEGIN {}-----", "PRIVATE KEY");
    let lines = serde_json::json!({"lines": [begin, format!("+{digits}"), format!("+{digits}"), "+-----END PRIVATE KEY-----"], "a": "b"});
    let masked = masked_text(&lines.to_string());
    assert!(!masked.contains(&digits[..16]) && masked.contains(r#""a":"b""#), "{masked}");
    assert_eq!(masked_output(&vec![b'x'; TEXT_LIMIT + 1]), None);
}

#[test]
fn the_payloads_of_the_client_stay_as_they_are() {
    let folder = Path::new("../tests/fixtures/payloads");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let Ok(payload) = fs::read(file.unwrap().path()) else {
            continue;
        };
        let masked = masked_json(&payload);
        assert!(!masked.contains(&b'\n'));
        let parse = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
        assert_eq!(parse(&masked), parse(&payload));
        count += 1;
    }
    assert!(count >= 33, "{count} payloads in {}", folder.display());
}

#[test]
fn only_the_thread_that_audits_an_answer_is_past_it_and_a_crash_meanwhile_has_its_line() {
    let is_settled = || IS_SETTLED.load(Ordering::Relaxed);
    let elsewhere = || std::thread::spawn(settles).join().unwrap();
    settle(|| {
        assert_eq!((settles(), elsewhere(), is_settled()), (true, false, false));
        Response::default()
    });
    assert_eq!((settles(), elsewhere(), is_settled()), (true, false, true));
}

#[cfg(unix)]
mod file {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn it_is_the_users_and_becomes_the_older_one_when_it_is_large() {
        let folder = test_support::folder();
        let (path, older) = (folder.path().join("runs.jsonl"), folder.path().join("runs.old.jsonl"));
        open(&path).unwrap().write_all(b"one\n").unwrap();
        open(&path).unwrap().write_all(b"two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&older, "the oldest").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(LIMIT).unwrap();
        open(&path).unwrap().write_all(b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        assert_eq!(fs::metadata(&older).unwrap().len(), LIMIT);
    }

    #[test]
    fn a_link_a_pipe_and_a_folder_are_not_written_to() {
        let folder = test_support::folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("other"), "").unwrap();
        symlink(path("other"), path("link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        assert!(process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        for name in ["link", "pipe", "folder", "no/such/folder"] {
            assert!(open(&path(name)).is_err(), "{name}");
        }
        assert_eq!(fs::metadata(path("other")).unwrap().len(), 0);
    }
}
