//! Linux and macOS: file descriptors, signals, process groups.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::hint;
use std::io::{self, Read};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command};
use std::ptr;
use std::time::Duration;

pub(crate) use libc::{POLLIN, POLLOUT};
use libc::{
    SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGKILL, SIGPROF, SIGQUIT, SIGSEGV, SIGSYS, SIGTERM,
    SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};

/// A file descriptor.
pub(crate) type Descriptor = RawFd;

const STDIN: Descriptor = 0;
const STDOUT: Descriptor = 1;
const STDERR: Descriptor = 2;

/// A signal that ends the process.
pub(crate) type Signal = libc::c_int;

/// Returns the protocol's stdout and redirects everything printed from now on to stderr.
///
/// The client reads "text, then JSON" as plain text and drops the decision (client 2.1.330), so one `println!` in a
/// handler, a dependency or a child process would disable a guard. The returned file is closed on exec, so that no
/// child process inherits it.
pub(crate) fn redirect_stdout() -> io::Result<File> {
    // SAFETY: both calls take and return plain numbers, and fail with -1. `taken` is a new descriptor that nothing else
    // owns, so the file may close it.
    unsafe {
        let taken = check(libc::fcntl(STDOUT, libc::F_DUPFD_CLOEXEC, 3))?;
        let taken = File::from_raw_fd(taken);
        check(libc::dup2(STDERR, STDOUT))?;
        Ok(taken)
    }
}

/// Returns the process's stdin, without the standard library's buffer and lock.
pub(crate) fn stdin() -> ManuallyDrop<File> {
    // SAFETY: the file is never dropped, so it does not close a descriptor that it does not own. If descriptor 0 is not
    // open, reading fails with EBADF, as it should.
    ManuallyDrop::new(unsafe { File::from_raw_fd(STDIN) })
}

pub(crate) fn descriptor_of(file: &impl AsRawFd) -> Descriptor {
    file.as_raw_fd()
}

pub(crate) fn stderr() -> Descriptor {
    STDERR
}

/// Installs a signal handler that ends the process. It runs on the alternate stack that the standard library provides
/// for stack overflows.
///
/// If that fails, the signals keep their default actions, and the hook still answers.
///
/// # Safety
///
/// The function may interrupt any other, so it must be async-signal-safe: it takes no lock and does not allocate. Its
/// type ensures that it never returns.
pub(crate) unsafe fn end_on_signals(end: extern "C" fn(Signal) -> !) {
    for signals in [TERMINATIONS, CRASHES] {
        let action = kernel::Action::new(end);
        for signal in signals {
            // SAFETY: the action is valid, and the caller promises that the function is async-signal-safe.
            unsafe { kernel::set_action(signal, &action) }
        }
    }
    // SAFETY: the call only reads the mask.
    unsafe { kernel::mask(libc::SIG_BLOCK, IGNORED) }
}

/// Signals that ask the process to exit.
const TERMINATIONS: [Signal; 7] = [SIGALRM, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGXCPU, SIGXFSZ];

/// Signals after which the process cannot continue.
const CRASHES: [Signal; 7] = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS];

/// Signals that have no meaning for a hook and would end it silently. They are blocked until it has answered.
///
/// One mask for all of them takes one system call; a handler for each would take 37.
const IGNORED: u64 = {
    let common = bit(SIGUSR1) | bit(SIGUSR2) | bit(SIGVTALRM) | bit(SIGPROF);
    #[cfg(not(target_os = "linux"))]
    let of_system = 0;
    #[cfg(target_os = "linux")]
    // All real-time signals, including those of the C library that it leaves blocked: a hook cancels no thread, and
    // changes no user.
    let of_system = bit(libc::SIGIO) | bit(libc::SIGPWR) | bit(libc::SIGSTKFLT) | u64::MAX << 31;
    common | of_system
};

pub(crate) fn is_crash(signal: Signal) -> bool {
    CRASHES.contains(&signal)
}

/// Describes a signal as the cause of a failure.
pub(crate) fn describe(signal: Signal) -> &'static str {
    match signal {
        SIGALRM => "it timed out",
        SIGTERM => "it was terminated (SIGTERM)",
        SIGINT => "it was interrupted (SIGINT)",
        SIGQUIT => "it was asked to quit (SIGQUIT)",
        SIGHUP => "its terminal was closed (SIGHUP)",
        SIGXCPU => "it exceeded its CPU time limit (SIGXCPU)",
        SIGXFSZ => "it exceeded its file size limit (SIGXFSZ)",
        SIGABRT => "it aborted (SIGABRT)",
        SIGSEGV | SIGBUS => "segmentation fault, often a stack overflow (SIGSEGV)",
        SIGILL | SIGTRAP => "illegal instruction (SIGILL)",
        SIGSYS => "bad system call (SIGSYS)",
        _ => "arithmetic error (SIGFPE)",
    }
}

/// Blocks the signals that ask the process to exit, in this thread.
pub(crate) fn block_signals() {
    // SAFETY: the call only reads the mask.
    unsafe { kernel::mask(libc::SIG_BLOCK, mask_of(&TERMINATIONS)) }
}

/// Unblocks the signals of [`block_signals`].
fn unblock_signals() {
    // SAFETY: as above.
    unsafe { kernel::mask(libc::SIG_UNBLOCK, mask_of(&TERMINATIONS)) }
}

fn mask_of(signals: &[Signal]) -> u64 {
    signals.iter().fold(0, |mask, signal| mask | bit(*signal))
}

const fn bit(signal: Signal) -> u64 {
    1 << (signal - 1)
}

/// Finds a program in the folders of a search path, as `execvp` does.
pub(crate) fn resolve(name: &OsStr, search_path: &OsStr) -> io::Result<Command> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Ok(Command::new(name));
    }
    let mut why = io::ErrorKind::NotFound;
    for folder in env::split_paths(search_path) {
        let path = folder.join(name);
        match path.metadata() {
            Ok(file) if file.is_file() && file.mode() & 0o111 != 0 => {
                let mut command = Command::new(path);
                command.arg0(name);
                return Ok(command);
            }
            Ok(file) if file.is_file() => why = io::ErrorKind::PermissionDenied,
            _ => {}
        }
    }
    Err(why.into())
}

/// Starts a program after [`lead_group`]. No signal can arrive between its start and its entry into its group.
///
/// On Linux the signals are not blocked, because the program is killed with its parent: a program that is slow to start
/// must not make the hook late.
pub(crate) fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    if cfg!(target_os = "linux") {
        return start();
    }
    block_signals();
    let started = start();
    unblock_signals();
    started
}

/// Unblocks all signals, for a program that is about to start.
fn unblock_all() {
    // SAFETY: the call only reads the mask.
    unsafe { kernel::mask(libc::SIG_UNBLOCK, mask_of(&TERMINATIONS) | IGNORED) }
}

/// Makes a program lead its own process group, with no signals blocked.
///
/// On Linux the program is also killed when the thread that started it ends, for example by SIGKILL. The program's own
/// children are not killed.
pub(crate) fn lead_group(command: &mut Command) {
    command.process_group(0);
    let parent = std::process::id();
    // SAFETY: the function runs in a forked process with one thread, and only makes system calls with plain numbers.
    unsafe {
        command.pre_exec(move || {
            unblock_all();
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
            // The parent may be gone already.
            if cfg!(target_os = "linux") && libc::getppid().cast_unsigned() != parent {
                libc::_exit(1);
            }
            Ok(())
        });
    }
}

/// Puts a program into its own session, with no signals blocked. No signal to the hook's group or terminal reaches it.
pub(crate) fn lead_session(command: &mut Command) {
    // SAFETY: as above.
    unsafe {
        command.pre_exec(|| {
            unblock_all();
            check(libc::setsid()).map(drop)
        });
    }
}

/// Waits until another thread ends the process.
pub(crate) fn wait_forever() -> ! {
    loop {
        // SAFETY: it has no arguments. It returns after a signal handler does; ours never return.
        unsafe {
            libc::pause();
        }
    }
}

/// Signals through system calls. The C library's functions take three times as many instructions for each signal.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kernel {
    /// The kernel's `struct sigaction`, which is the same on both architectures.
    #[repr(C)]
    pub(super) struct Action {
        handler: usize,
        flags: libc::c_ulong,
        restorer: usize,
        mask: u64,
    }

    /// Flag of a handler that has a function to return to. Without the flag, x86-64 does not call the handler.
    const SA_RESTORER: libc::c_ulong = 0x0400_0000;

    impl Action {
        pub(super) fn new(end: extern "C" fn(libc::c_int) -> !) -> Self {
            Self {
                handler: end as usize,
                flags: libc::SA_ONSTACK as libc::c_ulong | SA_RESTORER,
                // The handler does not return.
                restorer: end as usize,
                mask: !0,
            }
        }
    }

    pub(super) unsafe fn set_action(signal: libc::c_int, action: &Action) {
        // SAFETY: the kernel reads the action, whose mask has eight bytes, and writes none. Each argument has the width
        // of a pointer or a size.
        unsafe {
            libc::syscall(libc::SYS_rt_sigaction, signal, action, 0_usize, 8_usize);
        }
    }

    pub(super) unsafe fn mask(how: libc::c_int, signals: u64) {
        // SAFETY: the kernel reads the mask, which has eight bytes, and writes none. The widths are as above.
        unsafe {
            libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const signals, 0_usize, 8_usize);
        }
    }
}

/// Signals through the C library's functions.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod kernel {
    use std::{mem, ptr};

    use super::bit;

    pub(super) struct Action(libc::sigaction);

    impl Action {
        pub(super) fn new(end: extern "C" fn(libc::c_int) -> !) -> Self {
            // SAFETY: an action of zeroes is valid.
            let mut action: libc::sigaction = unsafe { mem::zeroed() };
            action.sa_sigaction = end as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK;
            // SAFETY: the call writes the whole mask.
            unsafe {
                libc::sigfillset(&raw mut action.sa_mask);
            }
            Self(action)
        }
    }

    pub(super) unsafe fn set_action(signal: libc::c_int, action: &Action) {
        // SAFETY: the call only reads the action.
        unsafe {
            libc::sigaction(signal, &raw const action.0, ptr::null_mut());
        }
    }

    pub(super) unsafe fn mask(how: libc::c_int, signals: u64) {
        // SAFETY: the set is written before it is read.
        unsafe {
            let mut set: libc::sigset_t = mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in 1..=64 {
                if signals & bit(signal) != 0 {
                    libc::sigaddset(&raw mut set, signal);
                }
            }
            libc::pthread_sigmask(how, &raw const set, ptr::null_mut());
        }
    }
}

/// `true` if all other threads have ended when `exit` calls the function of [`at_exit`].
pub(crate) const IS_ALONE_AT_EXIT: bool = false;

/// Registers a function for `exit` to call.
pub(crate) fn at_exit(call: extern "C" fn()) {
    // SAFETY: the function exists as long as the process. If registration fails, it is not called.
    unsafe {
        libc::atexit(call);
    }
}

/// Makes the system send SIGALRM after this time. Children do not inherit the timer.
pub(crate) fn set_timer(after: Duration) {
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval { tv_sec: after.as_secs() as _, tv_usec: after.subsec_micros() as _ },
    };
    // SAFETY: the call only reads the timer.
    unsafe {
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
    }
}

/// Returns the time until the timer of [`set_timer`] expires; `None` if it is not set.
pub(crate) fn time_left() -> Option<Duration> {
    let mut timer = MaybeUninit::<libc::itimerval>::uninit();
    // SAFETY: the call writes all of the timer, or fails.
    let left = unsafe {
        check(libc::getitimer(libc::ITIMER_REAL, timer.as_mut_ptr())).ok()?;
        timer.assume_init().it_value
    };
    let left = Duration::new(left.tv_sec.try_into().ok()?, u32::try_from(left.tv_usec).ok()? * 1000);
    (!left.is_zero()).then_some(left)
}

/// Writes all bytes to a descriptor. Returns `false` if that fails. Async-signal-safe.
pub(crate) fn write_raw(descriptor: Descriptor, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the call reads the bytes, within their length.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => bytes = bytes.get(written..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Writes a new file at one path, then renames it to the other. Returns `false` if that fails. Async-signal-safe.
#[cfg(any(feature = "audit", test))]
pub(crate) fn write_whole(part: &std::ffi::CStr, path: &std::ffi::CStr, pieces: &[&[u8]]) -> bool {
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: the paths are NUL-terminated.
    let file = unsafe { libc::open(part.as_ptr(), flags, 0o600) };
    if file < 0 {
        return false;
    }
    // SAFETY: as above.
    let is_written =
        pieces.iter().all(|piece| write_raw(file, piece)) && unsafe { libc::rename(part.as_ptr(), path.as_ptr()) } == 0;
    if !is_written {
        // SAFETY: as above.
        unsafe { libc::unlink(part.as_ptr()) };
    }
    is_written
}

/// Returns the name of the machine.
#[cfg(any(feature = "audit", test))]
pub(crate) fn host_name() -> String {
    let mut name = [0; 256];
    // SAFETY: the call writes within the length.
    let is_there = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) } == 0;
    let name = std::ffi::CStr::from_bytes_until_nul(&name).ok().filter(|_| is_there);
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Returns the home folder of the user's account, from the system's list of users; `/` for a user who is not in it.
#[cfg(any(feature = "audit", test))]
pub(crate) fn account_home() -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;

    let (mut account, mut texts) = (MaybeUninit::uninit(), [0; 4096]);
    let mut found = ptr::null_mut();
    // SAFETY: the call writes to the entry, to the buffer within its length, and to the pointer. If it is not null, the entry is
    // initialized, and its texts, which end with NUL, are in the buffer.
    unsafe {
        let user = libc::geteuid();
        libc::getpwuid_r(user, account.as_mut_ptr(), texts.as_mut_ptr(), texts.len(), &raw mut found);
        match found.as_ref() {
            Some(account) => OsStr::from_bytes(std::ffi::CStr::from_ptr(account.pw_dir).to_bytes()).into(),
            None => "/".into(),
        }
    }
}

/// Returns `true` if a descriptor is `/dev/null`, where output is lost.
///
/// The standard library opens `/dev/null` for a closed standard stream.
pub(crate) fn is_null(descriptor: Descriptor) -> bool {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: each call writes to a structure of ours whose bytes are all valid before and after, and the path is
    // NUL-terminated.
    unsafe {
        if libc::fstat(descriptor, stat.as_mut_ptr()) != 0 {
            return false;
        }
        let of_stream = stat.assume_init();
        of_stream.st_mode & libc::S_IFMT == libc::S_IFCHR
            && libc::stat(c"/dev/null".as_ptr(), stat.as_mut_ptr()) == 0
            && of_stream.st_rdev == stat.assume_init().st_rdev
    }
}

/// Ends the process immediately, without running destructors.
pub(crate) fn exit_now(exit_code: u8) -> ! {
    // SAFETY: the call does not return, and runs no code of the process.
    unsafe { libc::_exit(exit_code.into()) }
}

/// Returns `true` if a child has exited. The child keeps its id until it is waited for.
pub(crate) fn has_ended(child: &Child) -> bool {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the call writes to the structure, whose bytes are all valid before and after.
    unsafe {
        let asked = check(libc::waitid(libc::P_PID, child.id(), info.as_mut_ptr(), options));
        // A process that is not our child any more has exited, too.
        asked.is_err() || info.assume_init().si_pid() != 0
    }
}

/// Returns the id of the group that a child leads, after [`lead_group`].
pub(crate) fn group_of(child: &mut Child) -> io::Result<u32> {
    Ok(child.id())
}

/// Releases a group. Its id may be reused from now on.
pub(crate) fn release_group(_group: u32) {}

/// Asks all processes of a group to exit, which may take time.
pub(crate) fn terminate_group(group: u32) {
    signal_group(group, SIGTERM);
}

/// Kills all processes of a group. Async-signal-safe.
pub(crate) fn kill_group(group: u32) {
    signal_group(group, SIGKILL);
}

fn signal_group(group: u32, signal: Signal) {
    // Other numbers could mean all processes.
    if let Ok(group @ 2..) = libc::pid_t::try_from(group) {
        // SAFETY: it takes and returns plain numbers, and is async-signal-safe.
        unsafe {
            libc::kill(-group, signal);
        }
    }
}

/// Number of bytes that a writable pipe accepts in one write.
pub(crate) const WRITE_SIZE: usize = libc::PIPE_BUF;

/// Returns the pipe to write to when it is [`ready`].
pub(crate) fn polled_stdin(stdin: Option<ChildStdin>, _text: &[u8]) -> io::Result<Option<ChildStdin>> {
    Ok(stdin)
}

/// Waits until one of these descriptors can be read or written without blocking, or until the timeout. Returns the
/// ready ones.
pub(crate) fn ready<const N: usize>(
    requested: [(Option<Descriptor>, libc::c_short); N],
    timeout: Duration,
) -> io::Result<[bool; N]> {
    // `poll` ignores negative descriptors.
    let mut descriptors =
        requested.map(|(descriptor, events)| libc::pollfd { fd: descriptor.unwrap_or(-1), events, revents: 0 });
    let milliseconds = timeout.as_millis().try_into().unwrap_or(libc::c_int::MAX);
    // SAFETY: the call reads `N` descriptors and writes their `revents`.
    let polled = unsafe { check(libc::poll(descriptors.as_mut_ptr(), N as libc::nfds_t, milliseconds)) };
    match polled {
        Err(err) if err.kind() != io::ErrorKind::Interrupted => Err(err),
        _ => Ok(descriptors.map(|descriptor| descriptor.revents != 0)),
    }
}

/// Makes the process lead its own group, for [`exit_with_group`]. If a shell started the process, the shell leads
/// another group.
#[cfg(any(feature = "agent", test))]
pub(crate) fn lead_own_group() {
    // SAFETY: the call takes plain numbers. It fails in a process that leads a session, whose group is its own already.
    unsafe {
        libc::setpgid(0, 0);
    }
}

/// Immediately ends the process and all processes that it started.
pub(crate) fn exit_with_group(exit_code: u8) -> ! {
    kill_group_after_exit();
    exit_now(exit_code)
}

/// Kills the process group after the process has exited, if the process leads it.
///
/// The client starts each hook as the leader of its own group (2.1.330). In a terminal, or in a test, the group belongs
/// to another program.
#[cold]
fn kill_group_after_exit() {
    // SAFETY: all of these take and return plain numbers, and are async-signal-safe. `clone` without flags is `fork`
    // without the C library's handlers and locks, which could deadlock after an interrupted `fork`; the child calls
    // nothing that needs them.
    unsafe {
        let group = libc::getpgrp();
        let parent = libc::getpid();
        if group != parent || fork() != 0 {
            return;
        }
        // A program that waits for the end of the hook's output must not wait for this process.
        for descriptor in 0..=hint::black_box(MAX_DESCRIPTOR) {
            libc::close(descriptor);
        }
        libc::setpgid(0, 0);
        let moment = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        for _ in 0..1_000 {
            if libc::getppid() != parent {
                break;
            }
            libc::nanosleep(&raw const moment, ptr::null_mut());
        }
        libc::kill(-group, SIGKILL);
        libc::_exit(0)
    }
}

/// Highest descriptor to close; a hook rarely has more.
const MAX_DESCRIPTOR: Descriptor = 63;

/// Forks the process and returns 0 in the child. The caller describes the restrictions on the child.
unsafe fn fork() -> libc::pid_t {
    #[cfg(target_os = "linux")]
    // SAFETY: without flags and a stack, the child has a copy of everything. Each argument has the width that the
    // kernel reads.
    unsafe {
        let flags = libc::SIGCHLD as libc::c_ulong;
        libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) as libc::pid_t
    }
    #[cfg(not(target_os = "linux"))]
    // SAFETY: the caller ensures it.
    unsafe {
        libc::fork()
    }
}

/// The ways in which a fork can end.
pub(crate) enum Ended {
    Exited(u8),
    Signalled(Signal),
}

/// Runs `child` in a fork of the process, with these variables, and with a pipe as `stdout`. Returns its output and the
/// way it ended. On Linux the fork is killed with its parent.
///
/// The process must have only one thread. A lock held by another thread would stay locked in the child, and the child
/// would time out.
pub(crate) fn in_fork(stdout: &File, variables: &[(&str, &str)], child: impl FnOnce()) -> io::Result<(Vec<u8>, Ended)> {
    let (mut written, pipe) = io::pipe()?;
    // SAFETY: the C library's `fork` leaves its own locks open in the child, which may then do whatever its parent may.
    let process = unsafe { check(libc::fork())? };
    if process == 0 {
        // SAFETY: the child has one thread. The calls take and return plain numbers, and `stdout` stays open, as a copy
        // of the pipe.
        unsafe {
            super::set_environment(variables);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
            libc::dup2(pipe.as_raw_fd(), stdout.as_raw_fd());
            libc::fcntl(stdout.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
        }
        drop(pipe);
        child();
        exit_now(1)
    }
    drop(pipe);
    let mut output = Vec::new();
    let read = written.read_to_end(&mut output);
    let mut status = 0;
    // SAFETY: the call writes the status.
    unsafe { check(libc::waitpid(process, &raw mut status, 0))? };
    read?;
    let ended = match libc::WIFSIGNALED(status) {
        true => Ended::Signalled(libc::WTERMSIG(status)),
        false => Ended::Exited(libc::WEXITSTATUS(status).try_into().unwrap_or(u8::MAX)),
    };
    Ok((output, ended))
}

/// Fills a buffer from an offset in a file.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}
