//! Tests with hostile hooks: the test binary runs itself again as a hostile hook.

#![expect(unsafe_code, reason = "a hostile hook makes system calls of its own")]

use std::collections::BTreeMap;
use std::ffi::{CString, c_long};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Error, Read, Seek, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};
use std::{env, panic, thread};

use anyhow::{Result, ensure};
use rustix::fs::{Mode, OFlags};

use super::*;

/// The files and folders that the hostile hook finds in its target folder and in the scratch folder.
const FILES: [&str; 5] = ["kept", "removed", "moved", "exchanged", "entered"];

/// The target of a hostile hook.
#[derive(serde::Serialize, serde::Deserialize)]
struct Target {
    folder: PathBuf,
    scratch: PathBuf,
    /// A process outside the sandbox.
    victim: i32,
    /// The thread of xtask that started the hook.
    starter: i32,
    port: u16,
    port_v6: Option<u16>,
}

impl Target {
    const VARIABLE: &str = "HOOKKIT_CONFINED_TARGET";
}

/// Makes a system call. The arguments are numbers or pointers to live values.
fn call(number: c_long, arguments: &[usize]) -> io::Result<()> {
    let at = |index: usize| arguments.get(index).copied().unwrap_or_default();
    let (a, b, c, d, e) = (at(0), at(1), at(2), at(3), at(4));
    // SAFETY: the attempts below only pass pointers to values that live until the call returns. If the kernel writes to
    // them, it writes values of their type.
    match unsafe { libc::syscall(number, a, b, c, d, e) } {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}

fn writable(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path).map(drop)
}

/// Result for a change that the system reports as done but does not make.
const NO_EFFECT: &str = "no effect";

/// Attempts and their results. The second value is `true` if every user can do this outside a sandbox.
struct Attempts(Vec<(&'static str, bool, io::Result<()>)>);

impl Attempts {
    /// Adds an attempt that succeeds outside a sandbox.
    fn add<T>(&mut self, name: &'static str, result: io::Result<T>) {
        self.0.push((name, true, result.map(drop)));
    }

    /// Adds an attempt that fails on some systems even outside a sandbox.
    fn add_other<T>(&mut self, name: &'static str, result: io::Result<T>) {
        self.0.push((name, false, result.map(drop)));
    }
}

/// Tries all kinds of harmful actions.
#[expect(clippy::too_many_lines, reason = "it is a list")]
fn attempts(target: &Target) -> Attempts {
    let outside = |name: &str| target.folder.join(name);
    let scratch = |name: &str| target.scratch.join(name);
    let c_string = |path: &Path| CString::new(path.as_os_str().as_bytes()).expect("a path");
    let kept = outside("kept");
    let reading = File::open(&kept).expect("everything can be read");
    let by_descriptor = PathBuf::from(format!("/proc/self/fd/{}", reading.as_raw_fd()));
    let name = c_string(&kept);
    let name = name.as_ptr() as usize;
    let (victim, starter, here) = (target.victim as usize, target.starter as usize, libc::AT_FDCWD as usize);
    let shared = PathBuf::from(format!("/dev/shm/hookkit-confined-{}", std::process::id()));
    let queue = CString::new(format!("hookkit-confined-{}", std::process::id())).expect("a name");
    let uid = fs::metadata(&kept).expect("everything can be read").uid();
    let flags = 0_u64;
    let no_limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    let parameters = [0_u64; 32];
    // A change without effect also counts as denied.
    let with_effect = |change: &dyn Fn() -> io::Result<()>| {
        // The open file may have lost its name.
        let times = |file: fs::Metadata| (file.ctime(), file.ctime_nsec());
        let changed = || io::Result::Ok((times(fs::metadata(&kept)?), times(reading.metadata()?)));
        let before = changed()?;
        // File timestamps are coarse.
        thread::sleep(Duration::from_millis(20));
        change()?;
        if changed()? == before { Err(Error::other(NO_EFFECT)) } else { Ok(()) }
    };
    let mut all = Attempts(Vec::new());
    // Files and folders.
    all.add("write", writable(&kept));
    all.add("write by a descriptor", writable(&by_descriptor));
    all.add("append", OpenOptions::new().append(true).open(&kept));
    all.add("truncate", File::create(&kept));
    let truncated = rustix::fs::open(&kept, OFlags::RDONLY | OFlags::TRUNC, Mode::empty());
    all.add("truncate for reading", truncated.map_err(Error::from));
    all.add("truncate by path", call(libc::SYS_truncate, &[name]));
    all.add("create", File::create(outside("created")));
    let created = File::create(&shared).and_then(|_| fs::remove_file(&shared));
    all.add_other("create in /dev/shm", created);
    all.add_other("temporary file", tempfile::tempfile_in(&target.folder));
    all.add("mkdir", fs::create_dir(outside("made")));
    let (pipe, mode) = (c_string(&outside("pipe")), (libc::S_IFIFO | 0o600) as usize);
    all.add("mkfifo", call(libc::SYS_mknodat, &[here, pipe.as_ptr() as usize, mode]));
    all.add("unlink", fs::remove_file(outside("removed")));
    all.add("rmdir", fs::remove_dir(outside("folder")));
    all.add("rename", fs::rename(outside("moved"), outside("renamed")));
    all.add("rename in", fs::rename(outside("entered"), scratch("renamed in")));
    all.add("rename out", fs::rename(scratch("moved"), outside("renamed out")));
    all.add("rename over", fs::rename(scratch("removed"), outside("kept")));
    let (from, to) = (c_string(&outside("exchanged")), c_string(&scratch("exchanged")));
    let (from, to, exchange) = (from.as_ptr() as usize, to.as_ptr() as usize, libc::RENAME_EXCHANGE as usize);
    all.add("exchange", call(libc::SYS_renameat2, &[here, from, here, to, exchange]));
    all.add("link", fs::hard_link(outside("exchanged"), outside("linked")));
    all.add("link in", fs::hard_link(outside("exchanged"), scratch("linked in")));
    all.add("link out", fs::hard_link(scratch("kept"), outside("linked out")));
    all.add("symlink", symlink("kept", outside("symlink")));
    let linked = symlink(&kept, scratch("symlink")).and_then(|()| writable(&scratch("symlink")));
    all.add("write by a symlink", linked);
    // Metadata, also for a file opened for reading.
    let mode = || fs::Permissions::from_mode(0o600);
    all.add("chmod", with_effect(&|| fs::set_permissions(&kept, mode())));
    all.add("fchmod", with_effect(&|| reading.set_permissions(mode())));
    all.add("chown", with_effect(&|| chown(&kept, Some(uid), None)));
    all.add("utime", with_effect(&|| call(libc::SYS_utimensat, &[here, name])));
    all.add("futime", with_effect(&|| reading.set_modified(SystemTime::UNIX_EPOCH)));
    let attribute = [name, c"user.a".as_ptr() as usize, c"b".as_ptr() as usize, 1];
    all.add_other("setxattr", call(libc::SYS_setxattr, &attribute));
    let (descriptor, flags) = (reading.as_raw_fd() as usize, &raw const flags as usize);
    let changed = call(libc::SYS_ioctl, &[descriptor, libc::FS_IOC_SETFLAGS as usize, flags]);
    all.add_other("chattr", changed);
    // Networks and sockets.
    all.add("tcp connect", TcpStream::connect(("127.0.0.1", target.port)));
    all.add("tcp listen", TcpListener::bind("127.0.0.1:0"));
    let socket = UdpSocket::bind("127.0.0.1:0");
    all.add("udp", socket.and_then(|socket| socket.send_to(b"x", ("127.0.0.1", target.port))));
    all.add("unix connect", UnixStream::connect(outside("socket")));
    let send = |socket: UnixDatagram| socket.send_to(b"x", outside("datagrams"));
    all.add("unix datagram", UnixDatagram::unbound().and_then(send));
    let pair = UnixDatagram::pair().and_then(|(socket, _)| send(socket));
    all.add("unix pair to another socket", pair);
    let named = SocketAddr::from_abstract_name(target.folder.as_os_str().as_bytes());
    all.add("unix abstract", named.and_then(|name| UnixStream::connect_addr(&name)));
    let netlink = [libc::AF_NETLINK as usize, libc::SOCK_RAW as usize];
    all.add("netlink", call(libc::SYS_socket, &netlink));
    all.add_other("io_uring", call(libc::SYS_io_uring_setup, &[1, parameters.as_ptr() as usize]));
    // Other processes.
    all.add("kill", call(libc::SYS_kill, &[victim]));
    let parent = std::os::unix::process::parent_id() as usize;
    all.add("kill the parent", call(libc::SYS_kill, &[parent]));
    all.add("kill the thread that started it", call(libc::SYS_kill, &[starter]));
    all.add("open its descriptors", fs::read_link(format!("/proc/{starter}/fd/0")));
    let limit = [victim, libc::RLIMIT_CORE as usize, 0, &raw const no_limit as usize];
    all.add_other("limit", call(libc::SYS_prlimit64, &limit));
    let process = libc::PRIO_PROCESS as usize;
    all.add("renice", call(libc::SYS_setpriority, &[process, victim, 19]));
    all.add_other("trace", call(libc::SYS_ptrace, &[0x4206, victim]));
    all.add_other("take a descriptor", call(libc::SYS_pidfd_getfd, &[usize::MAX]));
    // Other kernel objects.
    let new = (libc::IPC_CREAT | 0o600) as usize;
    all.add_other("shared memory", call(libc::SYS_shmget, &[0x686b, 4096, new]));
    all.add_other("semaphore", call(libc::SYS_semget, &[0x686b, 1, new]));
    let queue = [queue.as_ptr() as usize, libc::O_RDWR as usize];
    all.add_other("queue", call(libc::SYS_mq_open, &queue));
    all.add_other("keys", call(libc::SYS_keyctl, &[0, usize::MAX - 2]));
    let user = libc::CLONE_NEWUSER as usize;
    all.add_other("namespace", call(libc::SYS_unshare, &[user]));
    all.add_other("terminal", File::open("/dev/tty"));
    all.add_other("x32", call(0x4000_0000 + libc::SYS_getpid, &[]));
    all.add_other("chmod of a newer kernel", call(452, &[here, name, 0o600]));
    if let Some(port) = target.port_v6 {
        all.add("tcp connect v6", TcpStream::connect(("::1", port)));
        all.add("tcp listen v6", TcpListener::bind("[::1]:0"));
    }
    all
}

/// Behaves like a harmless hook.
fn work(scratch: &Path) -> Result<()> {
    let (old, new) = (scratch.join("old"), scratch.join("made/new"));
    fs::create_dir(scratch.join("made"))?;
    fs::write(&old, "text")?;
    fs::rename(&old, &new)?;
    fs::hard_link(&new, &old)?;
    File::create(&new)?;
    ensure!(fs::read(&old)?.is_empty());
    fs::remove_dir_all(scratch.join("made"))?;
    fs::write("/dev/null", "text")?;
    fs::read("/etc/passwd")?;
    fs::read_dir("/")?.count();
    let (mut one, mut other) = UnixStream::pair()?;
    one.write_all(b"x")?;
    other.read_exact(&mut [0])?;
    ensure!(one.set_nonblocking(true).is_ok());
    ensure!(thread::spawn(|| 1).join().is_ok_and(|one| one == 1));
    let mut child = Command::new("sleep").arg("600").spawn()?;
    child.kill()?;
    child.wait()?;
    let piped = Command::new("sh").args(["-c", "echo a | cat; echo b > /dev/stderr"]).output()?;
    ensure!((&*piped.stdout, &*piped.stderr) == (b"a\n", b"b\n"), "{piped:?}");
    Ok(())
}

/// Runs as the hostile hook. As an ordinary test, it has no target and does nothing.
#[test]
fn hostile_hook() -> Result<()> {
    let Ok(target) = env::var(Target::VARIABLE) else {
        return Ok(());
    };
    let target: Target = serde_json::from_str(&target)?;
    let worked = work(&target.scratch).map_err(|err| format!("{err:#}"));
    let mut text = format!("\nwork\ttrue\t{}\n", worked.map_or_else(|err| err, |()| "done".to_owned()));
    for (name, is_for_all, result) in attempts(&target).0 {
        let result = match result {
            Ok(()) => "done".to_owned(),
            Err(err) => err.raw_os_error().map_or(err.to_string(), |code| code.to_string()),
        };
        text += &format!("{name}\t{is_for_all}\t{result}\n");
    }
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Runs a test on a thread with a sandbox. Prints that it is skipped if the system has no sandbox.
fn in_a_room(name: &str, test: impl FnOnce(&Room, &Path) -> Result<()> + Send) -> Result<()> {
    if let Err(err) = linux::check_support() {
        eprintln!("skipped: {name}: {err}");
        return Ok(());
    }
    let scratch = test_support::folder();
    let scratch = scratch.path().canonicalize()?;
    thread::scope(|scope| {
        let thread = scope.spawn(|| test(&Room::enter(&scratch)?, &scratch));
        thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

/// A process that is killed at the end.
struct Killed(Child);

impl Killed {
    fn sleeping(mut command: Command) -> Result<Self> {
        Ok(Self(command.arg("600").spawn()?))
    }

    fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the paths below a folder with their metadata and content.
fn content(folder: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let data = fs::symlink_metadata(&path)?;
        if data.is_dir() {
            found.extend(content(&path)?);
        }
        let bytes = if data.is_file() { fs::read(&path)? } else { Vec::new() };
        let state = (data.mode(), data.uid(), data.nlink(), data.modified()?, data.ctime_nsec());
        found.insert(path, format!("{state:?} {bytes:?}"));
    }
    Ok(found)
}

/// An attempt's name, `true` if every user can do this outside a sandbox, and the result.
type Attempt = (String, bool, String);

/// Runs the hostile hook with this command. Returns its attempts, and `true` if its target is unchanged.
fn attempted(command: Command, scratch: &Path) -> Result<(Vec<Attempt>, bool)> {
    let folder = test_support::folder();
    let folder = folder.path().canonicalize()?;
    for place in [&*folder, scratch] {
        for name in FILES {
            fs::write(place.join(name), name)?;
        }
        fs::create_dir(place.join("folder"))?;
    }
    let _by_path = UnixListener::bind(folder.join("socket"))?;
    let _datagrams = UnixDatagram::bind(folder.join("datagrams"))?;
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(folder.as_os_str().as_bytes())?)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let listener_v6 = TcpListener::bind("[::1]:0").ok();
    let victim = Killed::sleeping(Command::new("sleep"))?;
    let target = Target {
        folder: folder.clone(),
        scratch: scratch.to_owned(),
        victim: i32::try_from(victim.0.id())?,
        // SAFETY: the call takes and returns numbers.
        starter: unsafe { libc::gettid() },
        port: listener.local_addr()?.port(),
        port_v6: listener_v6
            .as_ref()
            .map(|listener| listener.local_addr().map(|address| address.port()))
            .transpose()?,
    };
    let before = content(&folder)?;
    let (stdout, stderr) = (tempfile::tempfile_in(scratch)?, tempfile::tempfile_in(scratch)?);
    let mut command = command;
    let status = command
        .args(["--exact", "binaries::confined::tests::hostile_hook", "--nocapture"])
        .env(Target::VARIABLE, serde_json::to_string(&target)?)
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .status()?;
    let read = |mut file: File| {
        let mut text = String::new();
        file.rewind()?;
        file.read_to_string(&mut text)?;
        anyhow::Ok(text)
    };
    let (stdout, stderr) = (read(stdout)?, read(stderr)?);
    ensure!(status.success(), "{status} {stdout} {stderr}");
    let lines = stdout.lines().filter_map(|line| match *line.split('\t').collect::<Vec<_>>() {
        [name, is_for_all, result] => Some((name.to_owned(), is_for_all == "true", result.to_owned())),
        _ => None,
    });
    Ok((lines.collect(), content(&folder)? == before))
}

#[test]
fn a_hook_in_a_room_changes_nothing_outside() -> Result<()> {
    let scratch = test_support::folder();
    let (control, is_unchanged) = attempted(Command::new(env::current_exe()?), scratch.path())?;
    let without: Vec<_> = control.iter().filter(|(_, is_for_all, result)| *is_for_all && result != "done").collect();
    assert!(without.is_empty() && !is_unchanged, "outside of a sandbox, these fail for another reason: {without:?}");

    in_a_room("a_hook_in_a_room_changes_nothing_outside", |room, scratch| {
        let (mut attempts, is_unchanged) = attempted(room.command(env::current_exe()?), scratch)?;
        assert_eq!(attempts.len(), control.len());
        assert_eq!(attempts.remove(0).2, "done", "a well-behaved hook works");
        let denials = [libc::EPERM, libc::EACCES, libc::EXDEV, libc::ENOSYS, libc::ENOTTY, libc::ENXIO];
        let denials = denials.map(|code| code.to_string());
        attempts.retain(|(_, _, result)| !denials.contains(result) && result != NO_EFFECT);
        assert_eq!(attempts, [], "these are not denied");
        assert!(is_unchanged);
        Ok(())
    })
}

#[test]
fn the_process_that_has_a_room_is_free() -> Result<()> {
    in_a_room("the_process_that_has_a_room_is_free", |room, scratch| {
        assert!(room.command("true").status()?.success());
        let folder = test_support::folder();
        fs::write(folder.path().join("file"), scratch.as_os_str().as_bytes())?;
        fs::set_permissions(folder.path().join("file"), fs::Permissions::from_mode(0o600))?;
        TcpListener::bind("127.0.0.1:0")?;
        assert!(Command::new("sh").args(["-c", "echo > \"$0\""]).arg(folder.path().join("child")).status()?.success());
        Ok(())
    })?;
    let mut child = Command::new("sleep").arg("600").spawn()?;
    let signalled = call(libc::SYS_kill, &[child.id() as usize]);
    child.kill()?;
    child.wait()?;
    Ok(signalled?)
}

/// Returns `true` if the process of this folder in /proc exists and is not a zombie.
fn is_running(process: &Path) -> bool {
    let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
    let state = state.rsplit(") ").next().unwrap_or_default();
    !state.is_empty() && !state.starts_with('Z')
}

#[test]
fn all_processes_of_a_room_end_and_no_others() -> Result<()> {
    const NAME: &str = "all_processes_of_a_room_end_and_no_others";
    let mut outside = Killed::sleeping(Command::new("sleep"))?;
    let (has_started, started) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let other = scope.spawn(move || {
            in_a_room(NAME, move |room, _| {
                let mut hook = Killed::sleeping(room.command("sleep"))?;
                has_started.send(())?;
                // Fails as soon as the other end is dropped.
                let _ = ended.recv();
                ensure!(hook.is_running(), "a process in another room was killed");
                Ok(())
            })
        });
        let _ = started.recv();
        let result = in_a_room(NAME, |room, scratch| {
            let script = "setsid sh -c 'echo $$ > pid; while :; do echo >> log; sleep 0.02; done' &
                          until test -s pid; do sleep 0.02; done";
            let status = room.command("sh").args(["-c", script]).current_dir(scratch).status()?;
            ensure!(status.success(), "{status}");
            let daemon = Path::new("/proc").join(fs::read_to_string(scratch.join("pid"))?.trim());
            ensure!(is_running(&daemon), "the hook has left it running");
            room.end_processes();
            // The kernel takes a moment.
            let is_gone = (0..500).any(|_| {
                thread::sleep(Duration::from_millis(10));
                !is_running(&daemon)
            });
            ensure!(is_gone);
            Ok(())
        });
        drop(end);
        other.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        result
    })?;
    assert!(outside.is_running());
    Ok(())
}

#[test]
fn a_hook_inherits_only_its_streams() -> Result<()> {
    in_a_room("a_hook_inherits_only_its_streams", |room, scratch| {
        let leaked = rustix::fs::open(scratch, OFlags::RDONLY, Mode::empty())?;
        let script = format!("test -e /proc/self/fd/2 && ! test -e /proc/self/fd/{}", leaked.as_raw_fd());
        let inherits = |mut command: Command| anyhow::Ok(!command.args(["-c", &script]).status()?.success());
        ensure!(inherits(Command::new("sh"))?);
        ensure!(!inherits(room.command("sh"))?);
        Ok(())
    })
}

#[test]
fn an_error_says_what_the_system_lacks_and_what_to_type() {
    let failed = |code| Err(Error::from_raw_os_error(code));
    let message = |version, filters| linux::lacking(version, filters).unwrap_or_default();
    assert_eq!(message(Ok(6), Ok(0)), "");
    assert_eq!(message(Ok(9), Ok(0)), "");
    for (message, part) in [
        (message(Ok(4), Ok(0)), "version 4 of Landlock"),
        (message(failed(libc::EOPNOTSUPP), Ok(0)), "`lsm=`"),
        (message(failed(libc::ENOSYS), Ok(0)), "`uname -r`"),
        (message(Ok(6), failed(libc::EINVAL)), "`seccomp`"),
    ] {
        assert!(message.contains(part), "{message}");
    }
}
