//! Headless chromium: the arguments that it gets here, and a page that a test drives over pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Arguments for a browser without network requests of its own.
pub const ARGUMENTS: [&str; 9] = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
];

/// Returns the path of chromium, if it is installed.
pub fn locate() -> Option<PathBuf> {
    let folders = env::split_paths(&env::var_os("PATH")?).collect::<Vec<_>>();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.find(|file| file.is_file())
}

/// A page in a browser of its own.
pub struct Page {
    browser: Child,
    input: File,
    answers: Receiver<Value>,
    session: String,
    number: u64,
    events: Vec<Value>,
    _folder: TempDir,
}

/// Time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

impl Page {
    /// Starts a browser with an empty page.
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub fn new(browser: &Path) -> Result<Self> {
        let folder = test_support::folder();
        let pipe = |name: &str| -> Result<PathBuf> {
            let path = folder.path().join(name);
            mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
            Ok(path)
        };
        let (input, output) = (pipe("input")?, pipe("output")?);
        // Chromium reads messages from descriptor 3, and writes them to descriptor 4.
        let browser = Command::new("/bin/sh")
            .args(["-c", r#"in=$1 out=$2; shift 2; exec "$0" "$@" 3<"$in" 4>"$out""#])
            .arg(browser)
            .args([&input, &output])
            .args(ARGUMENTS)
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let input = File::options().write(true).open(input)?;
        let mut output = BufReader::new(File::open(output)?);
        let (sender, answers) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let answer = serde_json::from_slice(&message).unwrap_or_default();
                message.clear();
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        let mut page =
            Self { browser, input, answers, session: String::new(), number: 0, events: Vec::new(), _folder: folder };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}))?;
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = page.call("Target.attachToTarget", target)?;
        page.session = session["sessionId"].as_str().context("a session")?.to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(page)
    }

    /// Calls a method of the DevTools protocol.
    ///
    /// # Errors
    ///
    /// If it fails, or has no answer in time.
    pub fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes())?;
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).with_context(|| method.to_owned())?;
            if answer["id"] != json!(self.number) {
                self.events.push(answer);
                continue;
            }
            ensure!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
            return Ok(answer["result"].clone());
        }
    }

    /// Loads a file, and waits until it is loaded.
    ///
    /// # Errors
    ///
    /// If it is not loaded in time.
    pub fn load(&mut self, file: &Path) -> Result<()> {
        self.events.clear();
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({"url": url}))?;
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.answers.recv_timeout(PATIENCE).context("the page is not loaded")?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Returns the value of an expression in the page; it may be a promise.
    ///
    /// # Errors
    ///
    /// If it throws.
    pub fn value(&mut self, expression: &str) -> Result<Value> {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters)?;
        if let Some(thrown) = result.get("exceptionDetails") {
            bail!("{expression}: {thrown}");
        }
        Ok(result["result"]["value"].clone())
    }

    /// Returns the messages of the console, errors, and requests since [`load`](Self::load), except that for the page.
    #[must_use]
    pub fn noise(&self) -> Vec<&Value> {
        let is_noise = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded") => true,
            Some("Page.javascriptDialogOpening") => true,
            Some("Network.requestWillBeSent") => event["params"]["type"] != "Document",
            _ => false,
        };
        self.events.iter().filter(is_noise).collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.call("Browser.close", json!({}));
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
