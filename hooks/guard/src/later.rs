//! Files outside of projects that run code later, or decide who may do what.

use crate::prelude::*;

/// Files and folders of the system. What they begin with is enough: `/etc/cron.d`, `/etc/cron.daily`.
const OF_SYSTEM: &str = "/Library/Launch /boot/ /etc/bash.bashrc /etc/cron /etc/environment /etc/group /etc/gshadow \
    /etc/init.d/ /etc/ld.so.conf /etc/ld.so.preload /etc/pam.d/ /etc/passwd /etc/profile /etc/rc.local /etc/shadow \
    /etc/ssh/sshd_config /etc/sudoers /etc/systemd/ /etc/udev/rules.d/ /etc/xdg/autostart/ /etc/zprofile /etc/zsh \
    /lib/systemd/ /usr/lib/systemd/ /var/at/ /var/spool/cron";

/// Those of the user, below the home folder.
const OF_USER: &str = ".bash_ .bashrc .config/autostart/ .config/direnv/ .config/environment.d/ .config/fish/ \
    .config/powershell/ .config/systemd/user/ .cshrc .kshrc .local/share/systemd/user/ .pam_environment .profile .ssh/authorized_keys \
    .ssh/rc .tcshrc .xinitrc .xprofile .xsession .zlog .zprofile .zshenv .zshrc Library/LaunchAgents/";

/// Configuration of git below the home folder.
const OF_GIT: &str = ".config/git/config .gitconfig";

/// Returns `true` for a file that decides who may do what on the machine, or which programs it runs.
///
/// `text` is what comes into it, where that is known: most settings of git run nothing.
pub(crate) fn decides(path: &Path, home: &Path, text: Option<&str>) -> bool {
    // A new program there replaces none.
    const PROGRAMS: &str = "/bin/ /lib/ /sbin/ /usr/bin/ /usr/lib/ /usr/sbin/";
    // A folder ends with a slash.
    let is_in = |path: &Path, starts| path.to_str().is_some_and(|path| begins(starts, &format!("{path}/")));
    let of_user = |path: &Path| {
        let is_key = path.parent().is_some_and(|folder| folder == Path::new(".ssh"))
            && path
                .file_stem()
                .is_some_and(|name| name.to_string_lossy().starts_with("id_"))
            && path.extension().is_none_or(|end| end != "pub");
        is_key
            || is_in(path, OF_USER) && !path.ends_with(".bash_history")
            || is_in(path, OF_GIT) && text.is_none_or(runs_by_git)
    };
    is_in(path, OF_SYSTEM) || is_in(path, PROGRAMS) && path.is_file() || path.strip_prefix(home).is_ok_and(of_user)
}

/// Returns `true` for settings of git by which it runs something.
fn runs_by_git(text: &str) -> bool {
    const NAMES: &str = "askpass command cmd editor fsmonitor gitproxy hookspath pager program textconv";
    let text = text.to_ascii_lowercase();
    text.contains('!') || holds(NAMES, &text)
}
