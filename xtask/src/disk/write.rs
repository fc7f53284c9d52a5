//! Makes all changes on disk.
//!
//! A file is replaced atomically, by a rename. A concurrent reader sees either the old file or the new one, and so does
//! the next run if this one is killed. The tests kill a run before and after each step.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;
use std::{io, thread};

use anyhow::{Context, Result, anyhow, bail, ensure};
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::disk::beneath::{Beneath, Folder, Stat, if_there, is_unsupported};
use crate::disk::bounded;
use crate::disk::journal::Run;
use crate::disk::step::step;
use crate::disk::temporary::{prepared, put_back};
use crate::terminal::{inform, quoted};

/// Reads a settings file. `None` if it does not exist.
pub(crate) fn read(file: &Beneath) -> Result<Option<Vec<u8>>> {
    file.read_up_to(bounded::BYTES).map_err(|err| unread(err, file))
}

/// Returns an error with the file's path, unless the error already contains a path.
fn unread(err: io::Error, file: &Beneath) -> anyhow::Error {
    match err.get_ref() {
        Some(_) => err.into(),
        None => anyhow::Error::from(err).context(format!("reading {file}")),
    }
}

/// Maximum time that a file may be empty or incomplete while another program writes it in place.
const SETTLES: Duration = Duration::from_millis(50);

/// Reads and parses a user's file. If that fails while another program is writing it, tries once more.
pub(crate) fn read_as<T>(file: &Beneath, mut understand: impl FnMut(Option<&[u8]>) -> Result<T>) -> Result<T> {
    let bytes = read(file)?;
    let err = match understand(bytes.as_deref()) {
        Ok(understood) => return Ok(understood),
        Err(err) => err,
    };
    step!("a file that is not understood");
    thread::sleep(SETTLES);
    let later = read(file)?;
    if later == bytes {
        return Err(err);
    }
    understand(later.as_deref())
}

/// Writes a file in hookkit's own folder with this mode, unless it already exists.
pub(crate) fn own(run: &Run<'_>, file: &Beneath, bytes: &[u8], mode: u32) -> Result<()> {
    let written = || -> Result<()> {
        // Another owner, or another hard link of the file, could change it.
        let is_own = |stat: &Stat| stat.mode == mode && stat.owner == geteuid().as_raw() && stat.links == 1;
        if file.stat()?.as_ref().is_some_and(is_own) && file.read()?.is_some_and(|present| present == bytes) {
            return Ok(());
        }
        let (hookkit, folder) = (run.hookkit().create()?, file.parent().create()?);
        // The error contains the file's name, not its temporary name.
        prepared(&hookkit, run.temporary()?.into(), bytes, 0o600, |file| {
            Ok(file.set_permissions(Permissions::from_mode(mode))?)
        })?
        .rename(&folder, file.name()?)?;
        step!("rename");
        Ok(folder.sync()?)
    };
    written().with_context(|| format!("writing {file}"))
}

/// Removes a file in hookkit's own folder, if it exists.
pub(crate) fn remove(file: &Beneath) -> Result<()> {
    let removed = (|| match if_there(file.parent().open())? {
        Some(folder) => if_there(folder.remove(file.name()?)).map(drop),
        None => Ok(()),
    })();
    step!("removal");
    removed.with_context(|| format!("removing {file}"))
}

/// Removes a folder of hookkit if it is empty. If that fails, it does no harm.
pub(crate) fn remove_if_empty(folder: &Beneath) {
    let _ = folder.remove_folder();
    step!("removal");
}

/// Checks that a settings file could be replaced, before minutes are spent on a build. Messages refer to the file as
/// `shown`.
///
/// # Errors
///
/// Fails if this process may not write the file. The error includes the fix.
pub(crate) fn check_file(file: &Beneath, shown: &Path) -> Result<()> {
    let unread = |err| unread(err, file);
    if file.path() != shown && file.parent().stat().map_err(unread)?.is_none() {
        let folder = file.parent();
        // The target of a user's link is not for us to create.
        bail!(
            "{} is a link to {file}, and there is no such folder, so nothing was changed; create it first: mkdir -p {}",
            shown.display(),
            quoted(folder)
        );
    }
    let fix = |what: &Path| {
        format!(
            "{} is read-only, so nothing was changed; make it writable first: chmod u+w {}",
            what.display(),
            quoted(what.display())
        )
    };
    let folder = file.parent().nearest().map_err(unread)?;
    ensure!(folder.own_stat()?.mode & 0o222 != 0, fix(&folder.path()));
    folder.is_writable().with_context(|| {
        format!(
            "{} cannot be written to, so nothing was changed; run this as the user whose folder it is",
            folder.path().display()
        )
    })?;
    let Some(present) = file.stat().map_err(unread)? else {
        return Ok(());
    };
    // Links and other non-files are reported by the code that opens them.
    folder.open(file.name()?).map_err(unread)?;
    ensure!(present.mode & 0o222 != 0, fix(&file.path()));
    let (owner, user) = (present.owner, geteuid().as_raw());
    ensure!(
        owner == user,
        "{file} belongs to another user (id {owner}, and this is {user}), so nothing was changed; run this as its owner"
    );
    Ok(())
}

/// Maximum number of attempts to edit a file while another program keeps writing it.
pub(crate) const TRIES: usize = 20;

/// Edits a user's file in the client's folder with `change`, like [`replace`]. If another program changes the file
/// meanwhile, edits the new content.
///
/// # Errors
///
/// Fails if `change` fails, or if the file cannot be written. In both cases, the file is unchanged.
pub(crate) fn edit(
    run: &Run<'_>,
    file: &Beneath,
    shown: &Path,
    mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>,
) -> Result<()> {
    for _ in 0..TRIES {
        let (before, after) = read_as(file, |before| Ok((before.map(<[u8]>::to_vec), change(before)?)))?;
        if replace(run, file, shown, before.as_deref(), after.as_deref())? {
            return Ok(());
        }
    }
    Err(outrun(shown))
}

/// Returns the error for an edit if another program changes the file each time.
pub(crate) fn outrun(shown: &Path) -> anyhow::Error {
    anyhow!("another program keeps writing {}; try again later", shown.display())
}

/// Replaces the content of a user's file in the client's folder. `None` means that the file does not exist. Messages
/// refer to it as `shown`. Returns `false` and changes nothing if the content is no longer `before`.
///
/// The mode is kept and, if possible, the group, access lists and extended attributes. If the user's file is a link,
/// its target is written. The inode changes. Lost attributes and other hard links are reported.
///
/// A concurrent change by another program is kept, with two exceptions. If the file system cannot swap two files, a
/// change between the last check and the rename is lost. If a program opened the file earlier and writes to it after
/// the last check, it writes to a deleted file.
///
/// # Errors
///
/// Fails if the file cannot be written; then it is unchanged.
pub(crate) fn replace(
    run: &Run<'_>,
    file: &Beneath,
    shown: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<bool> {
    if after == before {
        return Ok(true);
    }
    check_file(file, shown)?;
    let names = file.stat()?.map_or(1, |stat| stat.links);
    step!("before the edit");
    let edit = Edit { run, file };
    let shown = shown.display();
    let done = match (before, after) {
        (None, Some(after)) => edit.create(after),
        (Some(before), Some(after)) => edit.replace(before, after),
        (Some(before), None) => edit.take_away(before),
        (None, None) => Ok(true),
    };
    match done.with_context(|| format!("writing {shown}")) {
        Ok(is_done) => {
            if is_done && names > 1 {
                let now = after.map_or("removed", |_| "a separate file now");
                inform!("note: {shown} is {now}; its other hard links are unchanged");
            }
            Ok(is_done)
        }
        Err(err) if err.downcast_ref().and_then(Errno::from_io_error) == Some(Errno::BUSY) => {
            let fix = "a file that is mounted on its own, as in a container, cannot be replaced; mount its folder \
                       instead";
            Err(err.context(fix))
        }
        // The file or its folder was removed meanwhile.
        Err(err) if err.downcast_ref().map(io::Error::kind) == Some(io::ErrorKind::NotFound) => Ok(false),
        Err(err) => Err(err),
    }
}

/// An edit of a user's file.
struct Edit<'e> {
    run: &'e Run<'e>,
    file: &'e Beneath,
}

impl Edit<'_> {
    fn temporary(&self, inode: Option<u64>) -> Result<OsString> {
        Ok(self.run.temporary_name(self.file, inode)?.into())
    }

    /// Creates a file with the default mode of new files. Returns `false` if the file exists now.
    fn create(&self, after: &[u8]) -> Result<bool> {
        let folder = self.file.parent().create()?;
        let temporary = prepared(&folder, self.temporary(None)?, after, 0o666, |_| Ok(()))?;
        match temporary.rename_within(self.file.name()?) {
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(err) => Err(err.into()),
            Ok(()) => {
                step!("a new file");
                folder.sync()?;
                Ok(true)
            }
        }
    }

    /// Replaces a file whose content is `before`. Returns `false` and changes nothing if it has other content.
    ///
    /// Another program could write between the last check and a rename. So the two files are swapped, and the old one
    /// is read again. If it is not the file that was edited, it is restored.
    fn replace(&self, before: &[u8], after: &[u8]) -> Result<bool> {
        let (folder, target) = (self.file.parent().open()?, self.file.name()?);
        let present = folder.stat(target)?.ok_or_else(gone)?;
        if !present.is_file() {
            return Ok(false);
        }
        let source = folder.open(target)?;
        let temporary = prepared(&folder, self.temporary(None)?, after, 0o600, |file| {
            keep(file, &present)?;
            for lost in copy_attributes(&source, file) {
                inform!("note: {} loses its extended attribute {lost:?}", self.file);
            }
            Ok(())
        })?;
        // The inode distinguishes a file that was moved out from one that was never moved in; see `journal`.
        self.temporary(Some(temporary.file.metadata()?.ino()))?;
        step!("before the last look");
        if folder.read(target)?.as_deref() != Some(before) {
            return Ok(false);
        }
        step!("the last look");
        match folder.exchange(&temporary.name, target) {
            Err(err) if is_unsupported(&err) => temporary.rename(&folder, target)?,
            Err(err) => return Err(err.into()),
            Ok(()) => {
                // The name now belongs to the user's file. Only this code removes it, after checking its content. If
                // anything fails, it stays, and the next run restores it.
                let name = temporary.kept();
                step!("the exchange");
                let taken = folder.read(&name)?.ok_or_else(gone)?;
                if taken != before {
                    put_in_again(&folder, &name, taken, target, after)?;
                    return Ok(false);
                }
                folder.sync()?;
                folder.remove(&name)?;
            }
        }
        step!("an edited file");
        // Also syncs the removed name: if it came back after a power failure, the next run would undo the edit, perhaps
        // without the binaries that this run removes next.
        folder.sync()?;
        Ok(true)
    }

    /// Removes a file whose content is `before`. Returns `false` and changes nothing if it has other content.
    fn take_away(&self, before: &[u8]) -> Result<bool> {
        let (folder, target) = (self.file.parent().open()?, self.file.name()?);
        // No file has inode 0, so a file with that name is the user's.
        let taken = self.temporary(Some(0))?;
        folder.rename(target, &folder, &taken)?;
        step!("a file taken away");
        if folder.read(&taken)?.as_deref() != Some(before) {
            put_back(&folder, &taken, target)?;
            return Ok(false);
        }
        folder.remove(&taken)?;
        step!("a file removed");
        folder.sync()?;
        Ok(true)
    }
}

fn gone() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// Restores a user's file in place of hookkit's, whose content is `ours`.
///
/// If the swap reveals an even newer file, restores that file instead.
fn put_in_again(folder: &Folder, name: &OsStr, mut taken: Vec<u8>, target: &OsStr, ours: &[u8]) -> Result<()> {
    let mut expected = ours.to_vec();
    for _ in 0..TRIES {
        match folder.exchange(name, target) {
            // Another program has removed our file.
            Err(err) if err.kind() == io::ErrorKind::NotFound => return put_back(folder, name, target),
            exchanged => exchanged?,
        }
        step!("the exchange back");
        let out = folder.read(name)?.ok_or_else(gone)?;
        if out == expected {
            return Ok(folder.remove(name)?);
        }
        expected = std::mem::replace(&mut taken, out);
    }
    bail!(
        "another program keeps replacing a file in {}; run this again to complete the change",
        folder.path().display()
    )
}

/// Gives a file the mode of another file and, if permitted, its group.
fn keep(file: &File, present: &Stat) -> Result<()> {
    let mut mode = present.mode;
    if file.metadata()?.gid() != present.group
        && std::os::unix::fs::fchown(file.as_fd(), None, Some(present.group)).is_err()
    {
        mode = for_another_group(mode);
    }
    Ok(file.set_permissions(Permissions::from_mode(mode))?)
}

/// Copies a file's extended attributes and access lists to another file. Returns the names of those that failed.
fn copy_attributes(from: &File, to: &File) -> Vec<String> {
    // Maximum size on Linux.
    const MOST: usize = 1 << 16;
    let (mut names, mut value) = (vec![0; MOST], vec![0; MOST]);
    let Ok(length) = flistxattr(from, &mut names[..]) else {
        return Vec::new();
    };
    let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    // One group's access list must not apply to another group.
    let group = |file: &File| file.metadata().ok().map(|file| file.gid());
    let is_of_group = group(from) == group(to);
    let lost = names.filter(|name| {
        if !is_of_group && name.starts_with(b"system.posix_acl") {
            return true;
        }
        let copied = fgetxattr(from, *name, &mut value[..]).and_then(|length| {
            let value = &value[..length];
            let mut present = vec![0; MOST];
            match fgetxattr(to, *name, &mut present[..]) {
                Ok(length) if present[..length] == *value => Ok(()),
                _ => fsetxattr(to, *name, value, XattrFlags::empty()),
            }
        });
        copied.is_err()
    });
    lost.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Returns the mode for a file whose group could not be kept. Its new group gets no more rights than everyone.
fn for_another_group(mode: u32) -> u32 {
    let others = mode & 0o007;
    mode & (!0o070 | others << 3)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_the_group_could_not_be_kept_for_it_does_not_get() {
        for (mode, kept) in [(0o660, 0o600), (0o664, 0o644), (0o640, 0o600), (0o644, 0o644), (0o600, 0o600)] {
            assert_eq!(for_another_group(mode), kept, "{mode:o}");
        }
    }

    #[test]
    fn extended_attributes_are_those_of_the_file_before() -> Result<()> {
        let folder = test_support::folder();
        let [from, to] = ["from", "to"].map(|name| File::create(folder.path().join(name)));
        let (from, to) = (from?, to?);
        if fsetxattr(&from, "user.note", b"mine", XattrFlags::empty()).is_err() {
            return Ok(());
        }
        fsetxattr(&from, "user.empty", b"", XattrFlags::empty())?;
        assert_eq!(copy_attributes(&from, &to), Vec::<String>::new());
        let mut value = [0; 10];
        let length = fgetxattr(&to, "user.note", &mut value[..])?;
        assert_eq!(value[..length], *b"mine");
        assert_eq!(fgetxattr(&to, "user.empty", &mut value[..])?, 0);
        Ok(())
    }

    #[test]
    fn what_is_put_back_does_not_replace_a_newer_one() -> Result<()> {
        let folder = test_support::folder();
        let (taken, target) = (folder.path().join("taken"), folder.path().join("target"));
        for present in [None, Some("newer")] {
            fs::write(&taken, "older")?;
            if let Some(present) = present {
                fs::write(&target, present)?;
            }
            let opened = Beneath::user(folder.path()).open()?;
            put_back(&opened, OsStr::new("taken"), OsStr::new("target"))?;
            assert_eq!(fs::read_to_string(&target)?, present.unwrap_or("older"));
            assert!(!taken.exists());
        }
        Ok(())
    }
}
