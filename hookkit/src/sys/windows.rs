//! Windows: handles, console events, exceptions, jobs.

use std::ffi::{OsStr, c_void};
use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, IntoRawHandle, OwnedHandle, RawHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, ChildStdin, Command};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{ptr, thread};

use windows_sys::Win32::Foundation::{
    EXCEPTION_ACCESS_VIOLATION, EXCEPTION_ILLEGAL_INSTRUCTION, EXCEPTION_STACK_OVERFLOW, HANDLE, NTSTATUS,
    WAIT_OBJECT_0,
};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler, SetStdHandle,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, EXCEPTION_POINTERS, SetUnhandledExceptionFilter,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::SystemServices::DLL_PROCESS_DETACH;
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS, GetCurrentProcess, TerminateProcess, WaitForSingleObject,
};

/// A handle as a number. Unlike a pointer, it can be used by other threads.
pub(crate) type Descriptor = isize;

/// An event that ends the process.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Late,
    Interrupted,
    ConsoleClosed,
    SessionEnds,
    Memory,
    Stack,
    Instruction,
    OtherCrash,
}

pub(crate) fn is_crash(signal: Signal) -> bool {
    use Signal::{Instruction, Memory, OtherCrash, Stack};
    matches!(signal, Memory | Stack | Instruction | OtherCrash)
}

/// Describes an event as the cause of a failure.
pub(crate) fn describe(signal: Signal) -> &'static str {
    match signal {
        Signal::Late => "it timed out",
        Signal::Interrupted => "it was interrupted (Ctrl+C or Ctrl+Break)",
        Signal::ConsoleClosed => "its console was closed",
        Signal::SessionEnds => "it was terminated at the end of the user's session",
        Signal::Memory => "access violation",
        Signal::Stack => "stack overflow",
        Signal::Instruction => "illegal instruction",
        Signal::OtherCrash => "unhandled exception",
    }
}

pub(crate) fn descriptor_of(file: &impl AsRawHandle) -> Descriptor {
    file.as_raw_handle() as Descriptor
}

/// Returns the handle of stderr. The standard library asks the system for it each time, without a lock.
pub(crate) fn stderr() -> Descriptor {
    descriptor_of(&io::stderr())
}

/// Returns the protocol's stdout and redirects everything printed from now on to stderr, as on Unix.
pub(crate) fn redirect_stdout() -> io::Result<File> {
    // A copy that no child inherits.
    let taken = io::stdout().as_handle().try_clone_to_owned()?;
    // SAFETY: both take plain numbers. The C library's descriptor 1 becomes its own copy of stderr, and its former
    // handle is closed. The standard library keeps no handle: it asks the system, which now has stderr's. That one
    // stays open.
    unsafe {
        if libc::dup2(2, 1) < 0 {
            return Err(io::Error::other("stderr is not open"));
        }
        check(SetStdHandle(STD_OUTPUT_HANDLE, stderr() as HANDLE))?;
    }
    Ok(taken.into())
}

/// Returns the process's stdin, without the standard library's buffer and lock.
pub(crate) fn stdin() -> ManuallyDrop<File> {
    // SAFETY: the file is never dropped, so it does not close a handle that it does not own.
    ManuallyDrop::new(unsafe { File::from_raw_handle(io::stdin().as_raw_handle()) })
}

/// Function to call for a signal.
static END: OnceLock<extern "C" fn(Signal) -> !> = OnceLock::new();

/// The job that contains the process and everything that it starts.
static OWN_JOB: OnceLock<OwnedHandle> = OnceLock::new();

fn end(signal: Signal) {
    if let Some(end) = END.get() {
        end(signal)
    }
}

/// Installs a handler for console events and unhandled exceptions that ends the process. A console event is handled in
/// a thread of its own, an exception in the thread that raised it.
///
/// # Safety
///
/// The function may interrupt any other, so it takes no lock and does not allocate. It never returns.
pub(crate) unsafe fn end_on_signals(call: extern "C" fn(Signal) -> !) {
    let _ = END.set(call);
    // SAFETY: these functions exist as long as the process. If one cannot be registered, the default applies.
    unsafe {
        SetConsoleCtrlHandler(Some(on_console_event), 1);
        SetUnhandledExceptionFilter(Some(on_exception));
        // After the standard library's, and with the same reserve of stack.
        AddVectoredExceptionHandler(0, Some(on_overflow));
    }
    // SAFETY: the first handle is the job's, and the other is the pseudo handle of this process.
    if let Ok(job) = new_job()
        && unsafe { AssignProcessToJobObject(job.as_raw_handle(), GetCurrentProcess()) } != 0
    {
        let _ = OWN_JOB.set(job);
    }
}

unsafe extern "system" fn on_console_event(event: u32) -> windows_sys::core::BOOL {
    end(match event {
        CTRL_C_EVENT | CTRL_BREAK_EVENT => Signal::Interrupted,
        CTRL_CLOSE_EVENT => Signal::ConsoleClosed,
        _ => Signal::SessionEnds,
    });
    0
}

/// Handles an exception that has no other handler.
unsafe extern "system" fn on_exception(exception: *const EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the exception is valid until this returns.
    end(match unsafe { code_of(exception) } {
        EXCEPTION_ACCESS_VIOLATION => Signal::Memory,
        EXCEPTION_ILLEGAL_INSTRUCTION => Signal::Instruction,
        _ => Signal::OtherCrash,
    });
    EXCEPTION_CONTINUE_SEARCH
}

/// Handles a stack overflow early, because the search for a handler itself needs stack.
unsafe extern "system" fn on_overflow(exception: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: as above.
    if unsafe { code_of(exception) } == EXCEPTION_STACK_OVERFLOW {
        end(Signal::Stack);
    }
    EXCEPTION_CONTINUE_SEARCH
}

const EXCEPTION_CONTINUE_SEARCH: i32 = 0;

/// Returns the code of an exception.
unsafe fn code_of(exception: *const EXCEPTION_POINTERS) -> NTSTATUS {
    // SAFETY: the callers pass a valid exception.
    unsafe { (*(*exception).ExceptionRecord).ExceptionCode }
}

/// Does nothing: console events have their own threads, which check whether this thread has begun to answer.
pub(crate) fn block_signals() {}

/// Calls the function: signals need not be blocked, see [`block_signals`].
pub(crate) fn with_signals_blocked<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Returns the command unchanged: the standard library finds the program.
pub(crate) fn resolve(name: &OsStr, _search_path: &OsStr) -> io::Result<Command> {
    Ok(Command::new(name))
}

/// Does nothing: a program is put into a job after it was started.
pub(crate) fn lead_group(_command: &mut Command) {}

/// Starts a program without a console, and with its own group for console events.
pub(crate) fn lead_session(command: &mut Command) {
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// Waits until another thread ends the process.
pub(crate) fn wait_forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

/// `true` if all other threads have ended when `exit` calls the function of [`at_exit`].
pub(crate) const IS_ALONE_AT_EXIT: bool = true;

static AT_EXIT: OnceLock<extern "C" fn()> = OnceLock::new();

/// Registers a function for `exit` to call.
pub(crate) fn at_exit(call: extern "C" fn()) {
    let _ = AT_EXIT.set(call);
}

/// Makes `ExitProcess` call the function. Rust's and C's `exit` call `ExitProcess`, which ignores `atexit` but calls
/// the functions in this section, after it has ended all other threads.
#[used]
// SAFETY: the section is a list of functions of this type.
#[unsafe(link_section = ".CRT$XLC")]
static ON_THREAD_OR_EXIT: unsafe extern "system" fn(*mut c_void, u32, *mut c_void) = on_thread_or_exit;

unsafe extern "system" fn on_thread_or_exit(_image: *mut c_void, reason: u32, _reserved: *mut c_void) {
    if reason == DLL_PROCESS_DETACH
        && let Some(call) = AT_EXIT.get()
    {
        call();
    }
}

static DEADLINE: Mutex<Option<Instant>> = Mutex::new(None);

/// Makes a thread end the process after this time. Setting it again only extends it.
pub(crate) fn set_timer(after: Duration) {
    let mut deadline = DEADLINE.lock().unwrap_or_else(PoisonError::into_inner);
    if deadline.replace(Instant::now() + after).is_none() {
        // If the thread cannot be started, there is no deadline, and the hook still answers.
        let _ = thread::Builder::new().spawn(|| {
            while let Some(left) = time_left() {
                thread::sleep(left);
            }
            end(Signal::Late);
        });
    }
}

/// Returns the time until the deadline of [`set_timer`]; `None` if it is not set.
pub(crate) fn time_left() -> Option<Duration> {
    let deadline = *DEADLINE.lock().unwrap_or_else(PoisonError::into_inner);
    let left = deadline?.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

/// Writes all bytes to a handle. Returns `false` if that fails.
pub(crate) fn write_raw(descriptor: Descriptor, bytes: &[u8]) -> bool {
    // SAFETY: the handle is stderr's or the protocol's stdout, which stay open, and the file is never dropped.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_handle(descriptor as RawHandle) });
    file.write_all(bytes).is_ok()
}

/// Returns `false`, because writing to a closed stream fails on Windows.
pub(crate) fn is_null(_: Descriptor) -> bool {
    false
}

/// Ends the process immediately, without running destructors.
pub(crate) fn exit_now(exit_code: u8) -> ! {
    // SAFETY: it runs no code of the process.
    unsafe {
        TerminateProcess(GetCurrentProcess(), exit_code.into());
    }
    wait_forever()
}

/// Immediately ends the process and all processes that it started.
pub(crate) fn exit_with_group(exit_code: u8) -> ! {
    if let Some(job) = OWN_JOB.get() {
        // The exit of this process closes the job's last handle, and keeps its own exit code.
        let _ = set_limits(job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
    }
    exit_now(exit_code)
}

/// Returns `true` if a child has exited.
pub(crate) fn has_ended(child: &Child) -> bool {
    // SAFETY: the handle is open as long as the child is borrowed.
    unsafe { WaitForSingleObject(child.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}

/// Puts a child into its own job, which is killed when the hook ends. Returns the job's handle.
///
/// Programs that the child started before are in the hook's job instead.
pub(crate) fn group_of(child: &mut Child) -> io::Result<u32> {
    let job = new_job()?;
    set_limits(&job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
    // SAFETY: both handles are open.
    let put = check(unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) });
    if let Err(err) = put
        && !has_ended(child)
    {
        let _ = child.kill();
        return Err(err);
    }
    // Only 32 bits of a handle are significant.
    Ok(job.into_raw_handle() as u32)
}

fn handle_of(group: u32) -> HANDLE {
    group.cast_signed() as isize as HANDLE
}

/// Releases a job, so that its processes keep running.
pub(crate) fn release_group(group: u32) {
    // SAFETY: the group is the handle from `group_of`, and is not used again.
    let job = unsafe { OwnedHandle::from_raw_handle(handle_of(group)) };
    let _ = set_limits(&job, 0);
}

/// Kills the group, because programs without a window cannot be asked to exit.
pub(crate) fn terminate_group(group: u32) {
    kill_group(group);
}

/// Kills all processes of a job.
pub(crate) fn kill_group(group: u32) {
    // SAFETY: it takes plain numbers. If the handle was closed just now, it is invalid, or another job of the hook,
    // which is about to end.
    unsafe {
        TerminateJobObject(handle_of(group), 1);
    }
}

fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: null pointers mean no name and default rights; the handle is new, and owned here alone.
    unsafe {
        let job = CreateJobObjectW(ptr::null(), ptr::null());
        check((!job.is_null()).into())?;
        Ok(OwnedHandle::from_raw_handle(job))
    }
}

fn set_limits(job: &OwnedHandle, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = flags;
    // SAFETY: the call reads as many bytes as the limits have.
    check(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of_val(&limits) as u32,
        )
    })
}

pub(crate) const POLLIN: libc::c_short = 1;
/// Not used on Windows; see [`polled_stdin`].
pub(crate) const POLLOUT: libc::c_short = 4;

/// Number of bytes for each write.
pub(crate) const WRITE_SIZE: usize = 4096;

/// Writes the text in a thread and returns `None`: Windows does not report whether a pipe has free space.
pub(crate) fn polled_stdin(stdin: Option<ChildStdin>, text: &[u8]) -> io::Result<Option<ChildStdin>> {
    if let Some(mut stdin) = stdin {
        let text = text.to_vec();
        // If the program does not read it, the write fails.
        thread::Builder::new().spawn(move || stdin.write_all(&text))?;
    }
    Ok(None)
}

/// Waits until one of these pipes can be read without blocking, or until the timeout. Returns the ready ones.
pub(crate) fn ready<const N: usize>(
    requested: [(Option<Descriptor>, libc::c_short); N],
    timeout: Duration,
) -> io::Result<[bool; N]> {
    let started = Instant::now();
    loop {
        let ready = requested.map(|(pipe, _)| pipe.is_some_and(has_input));
        if ready.contains(&true) || started.elapsed() >= timeout {
            return Ok(ready);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns `true` if a pipe has bytes to read, or has ended.
fn has_input(pipe: Descriptor) -> bool {
    let mut count = 0;
    let nothing = ptr::null_mut();
    // SAFETY: the call writes the count, and the other pointers are null.
    let is_open =
        unsafe { PeekNamedPipe(pipe as HANDLE, nothing, 0, ptr::null_mut(), &raw mut count, ptr::null_mut()) };
    is_open == 0 || count > 0
}

/// Fills a buffer from an offset in a file.
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = file.seek_read(bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

fn check(result: windows_sys::core::BOOL) -> io::Result<()> {
    if result == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
