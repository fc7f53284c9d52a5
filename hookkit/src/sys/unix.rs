//! Linux and macOS: file descriptors, signals, process groups.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::hint;
use std::io;
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

/// A file that is open, by its number.
pub(crate) type Descriptor = RawFd;

const STDIN: Descriptor = 0;
const STDOUT: Descriptor = 1;
const STDERR: Descriptor = 2;

/// A signal that interrupts and ends the process.
pub(crate) type Signal = libc::c_int;

/// Takes the protocol's stdout away from the process, and lets whatever is printed from now on go to stderr.
///
/// The client takes "text, then JSON" for plain text and drops the decision (client 2.1.330), so one `println!` in a
/// handler, in a dependency or in a child process would open a guard.
/// The file that is returned is closed on exec: a child cannot hold it either.
pub(crate) fn take_stdout() -> io::Result<File> {
    // SAFETY: both calls take and give plain numbers, and fail with -1. `taken` is a new descriptor that nothing else
    // owns, so that the file may close it.
    unsafe {
        let taken = check(libc::fcntl(STDOUT, libc::F_DUPFD_CLOEXEC, 3))?;
        let taken = File::from_raw_fd(taken);
        check(libc::dup2(STDERR, STDOUT))?;
        Ok(taken)
    }
}

/// The process's stdin, without the standard library's buffer and lock.
pub(crate) fn stdin() -> ManuallyDrop<File> {
    // SAFETY: the file is never dropped, so that it does not close a descriptor that it does not own. Where descriptor 0
    // is not open, reading fails with EBADF, as it should.
    ManuallyDrop::new(unsafe { File::from_raw_fd(STDIN) })
}

pub(crate) fn descriptor_of(file: &impl AsRawFd) -> Descriptor {
    file.as_raw_fd()
}

pub(crate) fn stderr() -> Descriptor {
    STDERR
}

/// Has signals call a function that ends the process, on the stack that the standard library keeps for the overflow of
/// another one.
///
/// If that fails, a signal does what it did before; the hook answers all the same.
///
/// # Safety
///
/// The function may interrupt any other. So it does nothing but what POSIX calls async-signal-safe: it takes no lock, and
/// it does not allocate. It never returns, which its type says.
pub(crate) unsafe fn end_on_signals(end: extern "C" fn(Signal) -> !) {
    for signals in [REQUESTS, CRASHES] {
        let action = kernel::Action::new(end);
        for signal in signals {
            // SAFETY: the action is valid, and the caller promises that its function can be called at any moment.
            unsafe { kernel::set_action(signal, &action) }
        }
    }
    // SAFETY: a mask is read, and the former one is not asked for.
    unsafe { kernel::mask(libc::SIG_BLOCK, IGNORED) }
}

/// Requests to end the process.
const REQUESTS: [Signal; 7] = [SIGALRM, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGXCPU, SIGXFSZ];

/// It cannot go on.
const CRASHES: [Signal; 7] = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS];

/// Signals that have no meaning for a hook, and would end it without a word. They wait until it has answered.
///
/// One mask for all of them is one system call; handlers for each would be 37.
const IGNORED: u64 = {
    let common = bit(SIGUSR1) | bit(SIGUSR2) | bit(SIGVTALRM) | bit(SIGPROF);
    #[cfg(not(target_os = "linux"))]
    let of_system = 0;
    #[cfg(target_os = "linux")]
    let of_system = {
        // The real-time signals before the first one are the C library's own.
        let first = if cfg!(target_env = "musl") { 35 } else { 34 };
        bit(libc::SIGIO) | bit(libc::SIGPWR) | bit(libc::SIGSTKFLT) | u64::MAX << (first - 1)
    };
    common | of_system
};

pub(crate) fn is_crash(signal: Signal) -> bool {
    CRASHES.contains(&signal)
}

/// Describes a signal to the hook.
pub(crate) fn in_words(signal: Signal) -> &'static str {
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

/// Holds requests to end back from this thread.
pub(crate) fn hold_back() {
    // SAFETY: a mask is read, and the former one is not asked for. A thread that gets no signals breaks no promise.
    unsafe { kernel::mask(libc::SIG_BLOCK, mask_of(&REQUESTS)) }
}

/// Hears what was held back.
fn hear_again() {
    // SAFETY: as above.
    unsafe { kernel::mask(libc::SIG_UNBLOCK, mask_of(&REQUESTS)) }
}

fn mask_of(signals: &[Signal]) -> u64 {
    signals.iter().fold(0, |mask, signal| mask | bit(*signal))
}

const fn bit(signal: Signal) -> u64 {
    1 << (signal - 1)
}

/// A program as `execvp` finds it, but for the relative folders of the search path, which it goes past.
pub(crate) fn found(name: &OsStr, search_path: &OsStr) -> io::Result<Command> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Ok(Command::new(name));
    }
    let mut why = io::ErrorKind::NotFound;
    for folder in env::split_paths(search_path).filter(|folder| folder.is_absolute()) {
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

/// Starts a program that is [`undisturbed_in_group`], while no request to end comes between its start and what is noted
/// of it.
///
/// On Linux it ends with its parent, so that none need wait: a program that takes its time to start must not make the
/// hook late.
pub(crate) fn undisturbed<T>(start: impl FnOnce() -> T) -> T {
    if cfg!(target_os = "linux") {
        return start();
    }
    hold_back();
    let started = start();
    hear_again();
    started
}

/// Has a program lead a process group of its own, and hear all signals, whatever its parent does.
///
/// On Linux it also ends with the thread that started it, as after SIGKILL; its own children
/// do not.
pub(crate) fn undisturbed_in_group(command: &mut Command) {
    command.process_group(0);
    let parent = std::process::id();
    // SAFETY: the function runs in a copy of the process that has one thread, and makes system calls that take and give
    // plain numbers.
    unsafe {
        command.pre_exec(move || {
            kernel::mask(libc::SIG_UNBLOCK, mask_of(&REQUESTS) | IGNORED);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
            // It may be gone already.
            if cfg!(target_os = "linux") && libc::getppid().cast_unsigned() != parent {
                libc::_exit(1);
            }
            Ok(())
        });
    }
}

/// Waits for the end of the process, which another thread brings about.
pub(crate) fn wait_for_the_end() -> ! {
    loop {
        // SAFETY: it takes nothing, and returns when a signal's handler does, which none of ours does.
        unsafe {
            libc::pause();
        }
    }
}

/// Signals by the kernel's own words: the C library's take three times as many instructions, for each of them.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kernel {
    /// The kernel's `struct sigaction`. It is the same for both.
    #[repr(C)]
    pub(super) struct Action {
        handler: usize,
        flags: libc::c_ulong,
        restorer: usize,
        mask: u64,
    }

    /// There is a function that a handler returns to. x86-64 calls no handler without one.
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
        // SAFETY: the kernel reads the action, whose mask has eight bytes, and writes none. What it takes for a pointer or
        // a size has the width of one.
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

/// Signals by the C library's words.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod kernel {
    use std::{mem, ptr};

    use super::bit;

    pub(super) struct Action(libc::sigaction);

    impl Action {
        pub(super) fn new(end: extern "C" fn(libc::c_int) -> !) -> Self {
            // SAFETY: an action of zeroes is a valid one.
            let mut action: libc::sigaction = unsafe { mem::zeroed() };
            action.sa_sigaction = end as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK;
            // SAFETY: the mask is written, as whole.
            unsafe {
                libc::sigfillset(&raw mut action.sa_mask);
            }
            Self(action)
        }
    }

    pub(super) unsafe fn set_action(signal: libc::c_int, action: &Action) {
        // SAFETY: the action is read, and the former one is not asked for.
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

/// `true` if the other threads are gone when `exit` calls the function of [`at_exit`].
pub(crate) const IS_ALONE_AT_EXIT: bool = false;

/// Has `exit` call a function at the end of the process.
pub(crate) fn at_exit(call: extern "C" fn()) {
    // SAFETY: the function is there as long as the process is. Where there is no room for it, it is not called.
    unsafe {
        libc::atexit(call);
    }
}

/// Has the system send SIGALRM after a while. A child has no such timer.
pub(crate) fn set_timer(after: Duration) {
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval {
            tv_sec: after.as_secs() as _,
            tv_usec: after.subsec_micros() as _,
        },
    };
    // SAFETY: the timer is read, and the former one is not asked for.
    unsafe {
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
    }
}

/// Returns the time that is left until then; `None` if nothing is set.
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

/// Writes to a descriptor what can be written, in a signal's handler, too.
pub(crate) fn write_raw(descriptor: Descriptor, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the bytes are read, and as many as there are.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => bytes = bytes.get(written..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

/// Returns whether a descriptor is that of `/dev/null`, where everything is lost.
///
/// The standard library opens it in place of a stream that was not open.
pub(crate) fn is_null(descriptor: Descriptor) -> bool {
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: each call writes to a structure of ours, all of whose bytes are valid before and after that, and the path
    // ends with a null character.
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

/// Ends the process at once.
pub(crate) fn end_now(exit_code: u8) -> ! {
    // SAFETY: it does not return, and runs nothing of the process's.
    unsafe { libc::_exit(exit_code.into()) }
}

/// Returns `true` if a child has ended. It keeps its number until it is waited for.
pub(crate) fn has_ended(child: &Child) -> bool {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the call writes to the information, all of whose bytes are valid before and after it.
    unsafe {
        let asked = check(libc::waitid(libc::P_PID, child.id(), info.as_mut_ptr(), options));
        // One that is nobody's child any more has ended, too.
        asked.is_err() || info.assume_init().si_pid() != 0
    }
}

/// The number of the group that a child leads, once it is [`undisturbed_in_group`].
pub(crate) fn group_of(child: &mut Child) -> io::Result<u32> {
    Ok(child.id())
}

/// From now on another process may have the group's number.
pub(crate) fn let_go(_group: u32) {}

/// Reports all processes of a group to end, which they may put off.
pub(crate) fn ask_to_end(group: u32) {
    signal_group(group, SIGTERM);
}

/// Ends all processes of a group. May be called in a handler of signals.
pub(crate) fn end_group(group: u32) {
    signal_group(group, SIGKILL);
}

fn signal_group(group: u32, signal: Signal) {
    // What is not a number of a process could be everybody.
    if let Ok(group @ 2..) = libc::pid_t::try_from(group) {
        // SAFETY: it takes and gives plain numbers, and is async-signal-safe.
        unsafe {
            libc::kill(-group, signal);
        }
    }
}

/// Number of bytes that a pipe takes at once, if it takes anything.
pub(crate) const ROOM: usize = libc::PIPE_BUF;

/// Returns the rest of the text for a program, when a pipe is [`ready`].
pub(crate) fn say_aside(stdin: Option<ChildStdin>, _text: &[u8]) -> io::Result<Option<ChildStdin>> {
    Ok(stdin)
}

/// Waits until one of these descriptors can be read or written at once, or the time is over; which of them can.
pub(crate) fn ready<const N: usize>(
    wanted: [(Option<Descriptor>, libc::c_short); N],
    patience: Duration,
) -> io::Result<[bool; N]> {
    // A number below zero is passed over.
    let mut descriptors = wanted.map(|(descriptor, events)| libc::pollfd {
        fd: descriptor.unwrap_or(-1),
        events,
        revents: 0,
    });
    let milliseconds = patience.as_millis().try_into().unwrap_or(libc::c_int::MAX);
    // SAFETY: as many descriptors as there are are read, and their `revents` written.
    let polled = unsafe { check(libc::poll(descriptors.as_mut_ptr(), N as libc::nfds_t, milliseconds)) };
    match polled {
        Err(err) if err.kind() != io::ErrorKind::Interrupted => Err(err),
        _ => Ok(descriptors.map(|descriptor| descriptor.revents != 0)),
    }
}

/// Ends the process at once, and what it has started.
pub(crate) fn end_with_group(exit_code: u8) -> ! {
    end_group_after_this();
    end_now(exit_code)
}

/// Ends what the process has started, once it has ended itself: whatever is in its process group, if it leads one.
///
/// The client starts each hook as the leader of a group of its own (2.1.330). In a terminal, or under a test, the group
/// belongs to another program.
#[cold]
fn end_group_after_this() {
    // SAFETY: all of these take and give plain numbers, and are async-signal-safe. `clone` without flags is `fork`, but
    // for the handlers and locks of the C library, on which one that was interrupted could wait for ever; the child calls
    // nothing that would need them.
    unsafe {
        let group = libc::getpgrp();
        let parent = libc::getpid();
        if group != parent || fork() != 0 {
            return;
        }
        // A program that waits for the end of the hook's output must not wait for this one.
        for descriptor in 0..=hint::black_box(MOST_DESCRIPTORS) {
            libc::close(descriptor);
        }
        libc::setpgid(0, 0);
        let moment = libc::timespec {
            tv_sec: 0,
            tv_nsec: 1_000_000,
        };
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

/// A hook that has more open is its own business.
const MOST_DESCRIPTORS: Descriptor = 63;

/// The child gets 0. See its caller for what it may do.
unsafe fn fork() -> libc::pid_t {
    #[cfg(target_os = "linux")]
    // SAFETY: without flags and a stack the child has a copy of everything. Each argument has the width that the kernel
    // reads.
    unsafe {
        let flags = libc::SIGCHLD as libc::c_ulong;
        libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) as libc::pid_t
    }
    #[cfg(not(target_os = "linux"))]
    // SAFETY: as its caller says.
    unsafe {
        libc::fork()
    }
}

/// Reads from a place in a file, as much as there is room for.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}
