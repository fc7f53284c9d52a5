//! Windows: handles, console events, exceptions, jobs.

use std::ffi::{OsStr, c_void};
use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, IntoRawHandle, OwnedHandle, RawHandle};
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
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess, WaitForSingleObject};

/// A handle, as a number: a pointer would stay in its thread.
pub(crate) type Descriptor = isize;

/// A signal that interrupts and ends the process.
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

/// Describes a signal to the hook.
pub(crate) fn in_words(signal: Signal) -> &'static str {
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

/// The standard library asks the system for it each time, without a lock.
pub(crate) fn stderr() -> Descriptor {
    descriptor_of(&io::stderr())
}

/// Takes the protocol's stdout away from the process, and lets whatever is printed from now on go to stderr; see the
/// same function for Unix.
pub(crate) fn take_stdout() -> io::Result<File> {
    // A copy that no child inherits.
    let taken = io::stdout().as_handle().try_clone_to_owned()?;
    // SAFETY: both take plain numbers. The C library's 1 is its own copy of stderr from now on, and the handle that it
    // had is closed; the standard library keeps none, but asks the system, which is given stderr's. That one stays open.
    unsafe {
        if libc::dup2(2, 1) < 0 {
            return Err(io::Error::other("stderr is not open"));
        }
        check(SetStdHandle(STD_OUTPUT_HANDLE, stderr() as HANDLE))?;
    }
    Ok(taken.into())
}

/// The process's stdin, without the standard library's buffer and lock.
pub(crate) fn stdin() -> ManuallyDrop<File> {
    // SAFETY: the file is never dropped, so that it does not close a handle that it does not own.
    ManuallyDrop::new(unsafe { File::from_raw_handle(io::stdin().as_raw_handle()) })
}

/// Function that is called for a signal.
static END: OnceLock<extern "C" fn(Signal) -> !> = OnceLock::new();

/// The job that the process has put itself into, and with itself whatever it starts.
static OWN_JOB: OnceLock<OwnedHandle> = OnceLock::new();

fn end(signal: Signal) {
    if let Some(end) = END.get() {
        end(signal)
    }
}

/// Has console events, and unhandled exceptions, call a function that ends the process. The events come in a
/// thread of their own, an exception in that which raised it.
///
/// # Safety
///
/// The function may interrupt any other. So it takes no lock, and it does not allocate. It never returns.
pub(crate) unsafe fn end_on_signals(call: extern "C" fn(Signal) -> !) {
    let _ = END.set(call);
    // SAFETY: these functions are there as long as the process is. Where one is not taken, the system's own counts.
    unsafe {
        SetConsoleCtrlHandler(Some(on_console_event), 1);
        SetUnhandledExceptionFilter(Some(on_exception));
        // Behind the standard library's, and with as much of the stack left.
        AddVectoredExceptionHandler(0, Some(on_overflow));
    }
    // SAFETY: the handle is that of the job, and the other one means this process, for everybody who asks.
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

/// Handles an exception that nothing else has handled.
unsafe extern "system" fn on_exception(exception: *const EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system calls it with an exception that is there until it returns.
    end(match unsafe { code_of(exception) } {
        EXCEPTION_ACCESS_VIOLATION => Signal::Memory,
        EXCEPTION_ILLEGAL_INSTRUCTION => Signal::Instruction,
        _ => Signal::OtherCrash,
    });
    EXCEPTION_CONTINUE_SEARCH
}

/// Handles an exception before all others: to ask for a handler takes a stack.
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
    // SAFETY: as its callers say.
    unsafe { (*(*exception).ExceptionRecord).ExceptionCode }
}

/// Events have threads of their own, which find out that this one has begun to answer.
pub(crate) fn hold_back() {}

/// See [`hold_back`].
pub(crate) fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// A program, to be looked for by the standard library's rules.
pub(crate) fn found(name: &OsStr, _search_path: &OsStr) -> io::Result<Command> {
    Ok(Command::new(name))
}

/// Programs are put into a job once they are started.
pub(crate) fn undisturbed_in_group(_command: &mut Command) {}

/// Waits for the end of the process, which another thread brings about.
pub(crate) fn wait_for_the_end() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

/// `true` if the other threads are gone when `exit` calls the function of [`at_exit`].
pub(crate) const IS_ALONE_AT_EXIT: bool = true;

static AT_EXIT: OnceLock<extern "C" fn()> = OnceLock::new();

/// Has `exit` call a function at the end of the process.
pub(crate) fn at_exit(call: extern "C" fn()) {
    let _ = AT_EXIT.set(call);
}

/// `ExitProcess`, which the standard library's `exit` and C's come to, knows nothing of `atexit`, but calls what is in
/// this section. It has ended the other threads by then.
#[used]
// SAFETY: the section is a list of such functions.
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

/// Has a thread end the process after a while. Set anew, it is later than before.
pub(crate) fn set_timer(after: Duration) {
    let mut deadline = DEADLINE.lock().unwrap_or_else(PoisonError::into_inner);
    if deadline.replace(Instant::now() + after).is_none() {
        // Without a thread for it there is no deadline; that is not reason not to answer.
        let _ = thread::Builder::new().spawn(|| {
            while let Some(left) = time_left() {
                thread::sleep(left);
            }
            end(Signal::Late);
        });
    }
}

/// Returns the time that is left until then; `None` if nothing is set.
pub(crate) fn time_left() -> Option<Duration> {
    let deadline = *DEADLINE.lock().unwrap_or_else(PoisonError::into_inner);
    let left = deadline?.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

/// Writes to a handle what can be written, in a signal's handler, too.
pub(crate) fn write_raw(descriptor: Descriptor, bytes: &[u8]) -> bool {
    // SAFETY: the handle is stderr's or the protocol's stdout, which are open to the end, and the file is never dropped.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_handle(descriptor as RawHandle) });
    file.write_all(bytes).is_ok()
}

/// Returns whether a descriptor is that of a device where everything is lost. Writing to a stream that was not open
/// fails.
pub(crate) fn is_null(_: Descriptor) -> bool {
    false
}

/// Ends the process at once.
pub(crate) fn end_now(exit_code: u8) -> ! {
    // SAFETY: it runs nothing of the process's.
    unsafe {
        TerminateProcess(GetCurrentProcess(), exit_code.into());
    }
    wait_for_the_end()
}

/// Ends the process at once, and what it has started.
pub(crate) fn end_with_group(exit_code: u8) -> ! {
    if let Some(job) = OWN_JOB.get() {
        // The last handle of it is closed by the end of this process, which has an exit code of its own.
        let _ = set_limits(job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
    }
    end_now(exit_code)
}

/// Returns `true` if a child has ended.
pub(crate) fn has_ended(child: &Child) -> bool {
    // SAFETY: the handle is open as long as there is the child.
    unsafe { WaitForSingleObject(child.as_raw_handle(), 0) == WAIT_OBJECT_0 }
}

/// Puts a child into a job of its own, which ends with the hook however the hook ends; returns its handle.
///
/// Programs that the child has started in the moment before that are not in it, but in the hook's.
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
    // Of a handle 32 bits count.
    Ok(job.into_raw_handle() as u32)
}

fn handle_of(group: u32) -> HANDLE {
    group.cast_signed() as isize as HANDLE
}

/// Lets a job's processes live on.
pub(crate) fn let_go(group: u32) {
    // SAFETY: the group has the handle from `group_of`, and is asked for nothing more.
    let job = unsafe { OwnedHandle::from_raw_handle(handle_of(group)) };
    let _ = set_limits(&job, 0);
}

/// There is no way to tell programs without a window to end: they are ended.
pub(crate) fn ask_to_end(group: u32) {
    end_group(group);
}

/// Ends all processes of a job.
pub(crate) fn end_group(group: u32) {
    // SAFETY: it takes plain numbers. Where the handle was closed just now, it is nobody's or another job's of the hook,
    // which is about to end.
    unsafe {
        TerminateJobObject(handle_of(group), 1);
    }
}

fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: a job without a name, and with the usual rights; the handle is new, and owned here alone.
    unsafe {
        let job = CreateJobObjectW(ptr::null(), ptr::null());
        check((!job.is_null()).into())?;
        Ok(OwnedHandle::from_raw_handle(job))
    }
}

fn set_limits(job: &OwnedHandle, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = flags;
    // SAFETY: as many bytes are read as the limits have.
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
/// Unused here: see [`say_aside`].
pub(crate) const POLLOUT: libc::c_short = 4;

/// Number of bytes that are written at once.
pub(crate) const ROOM: usize = 4096;

/// Has a thread say it, since a pipe does not tell whether there is room in it.
pub(crate) fn say_aside(stdin: Option<ChildStdin>, text: &[u8]) -> io::Result<Option<ChildStdin>> {
    if let Some(mut stdin) = stdin {
        let text = text.to_vec();
        // If the program does not read it, the pipe breaks.
        thread::Builder::new().spawn(move || stdin.write_all(&text))?;
    }
    Ok(None)
}

/// Waits until one of these pipes can be read at once, or the time is over; which of them can.
pub(crate) fn ready<const N: usize>(
    wanted: [(Option<Descriptor>, libc::c_short); N],
    patience: Duration,
) -> io::Result<[bool; N]> {
    let started = Instant::now();
    loop {
        let ready = wanted.map(|(pipe, _)| pipe.is_some_and(has_something));
        if ready.contains(&true) || started.elapsed() >= patience {
            return Ok(ready);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns `true` if there are bytes in a pipe, or its end.
fn has_something(pipe: Descriptor) -> bool {
    let mut count = 0;
    let nothing = ptr::null_mut();
    // SAFETY: the count is written, and nothing else is asked for.
    let is_open = unsafe {
        PeekNamedPipe(
            pipe as HANDLE,
            nothing,
            0,
            ptr::null_mut(),
            &raw mut count,
            ptr::null_mut(),
        )
    };
    is_open == 0 || count > 0
}

/// Reads from a place in a file, as much as there is room for.
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
