//! System calls of the sandbox: Landlock, a seccomp filter, and the few steps that neither covers.

#![expect(
    unsafe_code,
    reason = "neither the standard library nor rustix has these calls, and they are made between fork and exec"
)]

use std::ffi::OsStr;
use std::io::{self, Error, ErrorKind};
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use libc::{BPF_JEQ, ENOSYS, EPERM, c_int, c_long, sock_filter, syscall};
use rustix::fs::{Mode, OFlags};
use rustix::process::Resource;

/// The first version of Landlock that confines signals to the sandbox, in Linux 6.12.
const NEEDED: c_long = 6;

/// Rights from `linux/landlock.h`. Reading and executing are not restricted.
mod right {
    pub(super) const WRITE_FILE: u64 = 1 << 1;
    /// The rights to remove and create each kind of directory entry, and `REFER`.
    const CHANGE_DIR: u64 = ((1 << 14) - 1) & !((1 << 4) - 1);
    /// The right to move and link a file to another folder.
    pub(super) const REFER: u64 = 1 << 13;
    pub(super) const TRUNCATE: u64 = 1 << 14;
    const IOCTL_DEV: u64 = 1 << 15;
    pub(super) const ALL: u64 = WRITE_FILE | CHANGE_DIR | TRUNCATE | IOCTL_DEV;
    /// The rights to bind and connect TCP sockets.
    pub(super) const TCP: u64 = 0b11;
    pub(super) const ABSTRACT_SOCKETS: u64 = 1 << 0;
    pub(super) const SIGNALS: u64 = 1 << 1;
}

/// The restrictions of a rule set: `struct landlock_ruleset_attr`.
#[repr(C)]
struct Restricted {
    files: u64,
    ports: u64,
    scopes: u64,
}

/// An exception from a rule set: `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Allowed {
    rights: u64,
    beneath: c_int,
}

/// `struct __user_cap_header_struct`.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    thread: c_int,
}

/// Header for the capability calls. The kernel writes to it only if the version is unsupported.
static CAPABILITIES: CapabilityHeader = CapabilityHeader { version: 0x2008_0522, thread: 0 };

/// The right to read every file but change none. Root has it, because a project's files in a container often belong to
/// another user.
const CAP_DAC_READ_SEARCH: u32 = 1 << 2;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// The last system call that was compared with these lists. Newer ones, such as `setxattrat`, do not exist in the
/// sandbox; neither do the x32 calls, which begin at 2³⁰.
const LAST: c_long = 451;

/// Lists the numbers of system calls, or the requests of a single call.
macro_rules! calls {
    ($($name:ident)*) => { &[$(libc::$name as c_long),*] };
}

/// Calls that change the mode, owner or times of a file. Landlock does not restrict them; they succeed without effect.
const METADATA: &[c_long] = calls! { SYS_fchmod SYS_fchmodat SYS_fchown SYS_fchownat SYS_utimensat };

/// Calls that change a file's extended attributes, which Landlock does not restrict either.
const ATTRIBUTES: &[c_long] = calls! {
    SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr
};

/// Older calls of the same kind, which aarch64 does not have.
#[cfg(target_arch = "x86_64")]
const OLD_METADATA: &[c_long] = calls! { SYS_chmod SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat };
#[cfg(target_arch = "aarch64")]
const OLD_METADATA: &[c_long] = &[];

/// Socket calls. Pairs are allowed or denied by type; see [`filter`].
const SOCKETS: &[c_long] = calls! {
    SYS_socket SYS_bind SYS_connect SYS_io_uring_setup SYS_io_uring_enter SYS_io_uring_register
};

/// Calls that affect other processes: their memory, descriptors and priorities.
const PROCESSES: &[c_long] = calls! {
    SYS_ptrace SYS_process_vm_writev SYS_process_madvise SYS_pidfd_getfd SYS_migrate_pages SYS_move_pages
    SYS_setpriority SYS_ioprio_set SYS_sched_setaffinity SYS_sched_setattr SYS_sched_setparam SYS_sched_setscheduler
};

/// Calls for kernel objects that have no path.
const OBJECTS: &[c_long] = calls! {
    SYS_shmget SYS_shmat SYS_shmctl SYS_semget SYS_semop SYS_semtimedop SYS_semctl
    SYS_msgget SYS_msgsnd SYS_msgrcv SYS_msgctl SYS_mq_open SYS_mq_unlink SYS_add_key SYS_request_key SYS_keyctl
    SYS_bpf SYS_perf_event_open SYS_userfaultfd SYS_fanotify_init
};

/// Calls for namespaces and mounts.
const MOUNTS: &[c_long] = calls! {
    SYS_unshare SYS_setns SYS_chroot SYS_pivot_root SYS_mount SYS_umount2 SYS_mount_setattr SYS_move_mount
    SYS_open_tree SYS_fsopen SYS_fsconfig SYS_fsmount SYS_fspick
};

/// `ioctl` requests that only read, or change only the caller's descriptor.
///
/// All others are denied: some set attributes of a file opened for reading, create or delete btrfs subvolumes, or type
/// into a terminal.
const IOCTLS: &[c_long] = calls! {
    TCGETS TCGETS2 TIOCGWINSZ TIOCGPGRP FIONREAD FIONBIO FIOCLEX FIONCLEX FS_IOC_GETFLAGS
};

/// A sandbox that belongs to the thread that created it.
///
/// The thread itself is not confined, except that its signals reach only processes in the sandbox, and that programs
/// such as `sudo` give it no rights. All processes that the thread starts from now on are in the sandbox, even without
/// [`Room::command`]. Dropping the sandbox kills them.
pub(crate) struct Room {
    restrictions: Arc<Restrictions>,
    /// Not `Send`: on another thread, a signal to all processes would reach every process of the user.
    thread: PhantomData<*const ()>,
}

impl Room {
    /// Creates a sandbox with this scratch folder.
    ///
    /// Use one sandbox for many runs: the kernel nests at most 16 in a thread.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot confine a hook completely. A hook is never partly confined.
    pub(crate) fn enter(scratch: &Path) -> Result<Self> {
        check_support()?;
        let restrictions = Restrictions::new(scratch)
            .with_context(|| format!("{} cannot be the scratch folder of confined hooks", scratch.display()))?;
        confine_signals().context("hooks cannot be confined on this system; no hook was run")?;
        Ok(Self { restrictions: Arc::new(restrictions), thread: PhantomData })
    }

    /// Returns a command that runs confined, in its own session and process group, and without streams.
    ///
    /// Create the files for the command's streams in the scratch folder: a hook can reopen `/dev/stdout` only there. Do
    /// not call `process_group`: the command then fails to start. The process is killed when the thread ends.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Otherwise git would try to refresh the index.
        command.env("GIT_OPTIONAL_LOCKS", "0");
        let restrictions = Arc::clone(&self.restrictions);
        // SAFETY: `enter` only makes system calls. It takes no lock and allocates nothing; its errors are numbers.
        unsafe { command.pre_exec(move || restrictions.enter()) };
        command
    }

    /// Kills all processes in the sandbox, even those that have left their hook's session and process group.
    ///
    /// The kernel does this in one step, so no process can escape by forking: it holds the lock of its process list
    /// meanwhile, and a process with a pending signal cannot fork.
    pub(crate) fn end_processes(&self) {
        // The thread can signal no other processes, except its own, which is left out: see `confine_signals`.
        // SAFETY: the call takes only numbers. It fails if there are no such processes.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.end_processes();
    }
}

/// Restrictions on a hook, prepared so that applying them between fork and exec allocates no memory.
struct Restrictions {
    rules: OwnedFd,
    filter: Vec<sock_filter>,
    core_bytes: u64,
    /// The effective, permitted and inheritable capabilities, each as its lower and upper half.
    capabilities: [[u32; 3]; 2],
}

/// Checks that the kernel can confine a process. The error has the reason and the fix.
pub(super) fn check_support() -> Result<()> {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: with this flag, the first call takes no attributes and returns a number. The second reads one number.
    let (version, filters) = unsafe {
        const VERSION: c_int = 1;
        let none = ptr::null::<Restricted>();
        (
            check(syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, VERSION)),
            check(syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action)),
        )
    };
    if let Some(lacking) = lacking(version, filters) {
        bail!("hooks cannot be confined on this system: {lacking}; no hook was run");
    }
    Ok(())
}

/// Returns the feature that the system lacks, and how to get it.
pub(super) fn lacking(version: io::Result<c_long>, filters: io::Result<c_long>) -> Option<String> {
    match (version, filters) {
        (Ok(NEEDED..), Ok(_)) => None,
        (Ok(NEEDED..), Err(err)) => {
            Some(format!("its kernel has no seccomp filters ({err}); in a container, allow the system call `seccomp`"))
        }
        (Ok(version), _) => Some(format!(
            "its kernel has version {version} of Landlock, which does not restrict signals; version {NEEDED} is in \
             Linux 6.12 (`uname -r` prints the version of yours)"
        )),
        (Err(err), _) if err.raw_os_error() == Some(libc::EOPNOTSUPP) => Some(
            "Landlock is disabled; boot with `landlock` in the kernel's parameter `lsm=` (`cat \
             /sys/kernel/security/lsm` prints the active modules)"
                .to_owned(),
        ),
        (Err(err), _) => Some(format!(
            "its kernel has no Landlock ({err}); use Linux 6.12 or later (`uname -r` prints yours); in a \
             container, allow the system calls `landlock_*`"
        )),
    }
}

/// Ensures that the calling thread and its later child processes can signal only each other.
fn confine_signals() -> io::Result<()> {
    let rules = ruleset(&Restricted { files: right::REFER, ports: 0, scopes: right::SIGNALS })?;
    // Every rule set denies this right unless a rule allows it.
    allow(&rules, Path::new("/"), right::REFER)?;
    // `end_processes` depends on this, so a version number is not enough: signals must not reach the parent. Signal 0
    // only checks, and the parent is 0 if it is outside of the container. SAFETY: all calls take only numbers, and
    // change only the thread.
    let escapes = unsafe {
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
        check(syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0))?;
        libc::getppid() > 0 && libc::kill(libc::getppid(), 0) == 0
    };
    if escapes { Err(Error::other("a signal reached a process outside of the sandbox")) } else { Ok(()) }
}

impl Restrictions {
    fn new(scratch: &Path) -> io::Result<Self> {
        let rules = ruleset(&Restricted {
            files: right::ALL,
            ports: right::TCP,
            scopes: right::ABSTRACT_SOCKETS | right::SIGNALS,
        })?;
        allow(&rules, scratch, right::ALL)?;
        allow(&rules, Path::new("/dev/null"), right::WRITE_FILE | right::TRUNCATE)?;
        let mut capabilities = [[0; 3]; 2];
        // SAFETY: this version writes two halves of three words, which fit the array.
        check(unsafe { syscall(libc::SYS_capget, &raw const CAPABILITIES, capabilities.as_mut_ptr()) })?;
        let [_, permitted, _] = capabilities[0];
        // With 0 bytes, the kernel would still start the system's crash reporter, which writes elsewhere. With 1 it
        // does not, but the limit must not be raised.
        let most = rustix::process::getrlimit(Resource::Core).maximum;
        let kept = permitted & CAP_DAC_READ_SEARCH;
        Ok(Self {
            rules,
            filter: filter(),
            core_bytes: most.map_or(1, |most| most.min(1)),
            capabilities: [[kept, kept, 0], [0; 3]],
        })
    }

    /// Confines the process permanently. The process is a child between fork and exec, with a single thread.
    fn enter(&self) -> io::Result<()> {
        let no_core = libc::rlimit { rlim_cur: self.core_bytes, rlim_max: self.core_bytes };
        let filter = libc::sock_fprog { len: self.filter.len() as u16, filter: self.filter.as_ptr().cast_mut() };
        // SAFETY: the pointers lead to values of the types that the calls read, which live until the calls return. The
        // kernel copies the filter and does not write to it.
        unsafe {
            // The session has no terminal, so the hook can neither read from one nor inject input.
            check(libc::setsid().into())?;
            check(libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core).into())?;
            check(syscall(libc::SYS_capset, &raw const CAPABILITIES, self.capabilities.as_ptr()))?;
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL).into())?;
            // Descriptors that xtask inherited would stay open in the program.
            check(syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC))?;
            check(syscall(libc::SYS_landlock_restrict_self, self.rules.as_raw_fd(), 0))?;
            check(syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const filter))?;
        }
        Ok(())
    }
}

/// Creates a rule set without exceptions.
fn ruleset(restricted: &Restricted) -> io::Result<OwnedFd> {
    // SAFETY: the pointer leads to a value of the given size, of a type without padding.
    let made = check(unsafe {
        syscall(libc::SYS_landlock_create_ruleset, ptr::from_ref(restricted), size_of::<Restricted>(), 0)
    })?;
    let made = c_int::try_from(made).map_err(|_| ErrorKind::InvalidData)?;
    // SAFETY: the descriptor is new, so it has no other owner. It is closed on exec.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

/// Adds an exception: rights to a file, or to a folder and everything below it.
fn allow(rules: &OwnedFd, path: &Path, rights: u64) -> io::Result<()> {
    const PATH_BENEATH: c_int = 1;
    let opened = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let allowed = Allowed { rights, beneath: opened.as_raw_fd() };
    // SAFETY: the pointer leads to a value of this rule's type, and its descriptor is open.
    let added = unsafe { syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), PATH_BENEATH, &raw const allowed, 0) };
    check(added).map(drop)
}

/// Returns the filter, a BPF program. It denies some calls, and some arguments of others.
fn filter() -> Vec<sock_filter> {
    let pair_types = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(|kind| {
        let flags = [0, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK, libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK];
        flags.map(|flags| c_long::from(kind | flags))
    });
    const ARCHITECTURE_WORD: u32 = 4;
    let mut filter = vec![
        load(ARCHITECTURE_WORD),
        jump(BPF_JEQ, ARCHITECTURE, 1, 0),
        answer(ENOSYS),
        load(0),
        jump(libc::BPF_JGT, LAST as u32, 0, 1),
        answer(ENOSYS),
    ];
    for &call in [METADATA, OLD_METADATA].into_iter().flatten() {
        filter.extend([jump(BPF_JEQ, call as u32, 0, 1), answer(0)]);
    }
    for &call in [ATTRIBUTES, SOCKETS, PROCESSES, OBJECTS, MOUNTS].into_iter().flatten() {
        filter.extend([jump(BPF_JEQ, call as u32, 0, 1), answer(EPERM)]);
    }
    // A datagram socket from a pair can send to any address.
    let pair: [(u32, &[c_long]); 2] = [(0, &[libc::AF_UNIX as c_long]), (1, pair_types.as_flattened())];
    add_condition(&mut filter, libc::SYS_socketpair, &pair, EPERM);
    add_condition(&mut filter, libc::SYS_ioctl, &[(1, IOCTLS)], libc::ENOTTY);
    // 0 is the calling process.
    add_condition(&mut filter, libc::SYS_prlimit64, &[(0, &[0])], EPERM);
    filter.push(ALLOW);
    filter
}

/// Adds a condition on a call: each of these 32-bit arguments has one of these values.
fn add_condition(filter: &mut Vec<sock_filter>, call: c_long, arguments: &[(u32, &[c_long])], otherwise: c_int) {
    const ARGUMENTS: u32 = 16;
    let mut condition = Vec::new();
    for &(argument, values) in arguments {
        condition.push(load(ARGUMENTS + 8 * argument));
        let left = (1..=values.len() as u8).rev();
        condition.extend(values.iter().zip(left).map(|(&value, left)| jump(BPF_JEQ, value as u32, left, 0)));
        condition.push(answer(otherwise));
    }
    condition.push(ALLOW);
    filter.push(jump(BPF_JEQ, call as u32, 0, condition.len() as u8));
    filter.append(&mut condition);
}

const ALLOW: sock_filter = instruction(libc::BPF_RET, libc::SECCOMP_RET_ALLOW, 0, 0);

const fn answer(errno: c_int) -> sock_filter {
    instruction(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | errno as u32, 0, 0)
}

/// Loads a word of `struct seccomp_data`.
const fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

/// Compares the loaded word, then skips this many instructions.
const fn jump(comparison: u32, value: u32, if_true: u8, if_false: u8) -> sock_filter {
    instruction(libc::BPF_JMP | comparison | libc::BPF_K, value, if_true, if_false)
}

const fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

fn check(result: c_long) -> io::Result<c_long> {
    match result {
        -1 => Err(Error::last_os_error()),
        result => Ok(result),
    }
}
