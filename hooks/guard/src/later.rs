//! Files outside of projects that run code later, or control access to the machine.

use crate::prelude::*;
use crate::settings_files::is_markdown;
use hookkit::protocol::guards::OF_AGENTS;

/// Prefixes of paths of the system's files and folders: `/etc/cron.d`, `/etc/cron.daily`.
const OF_SYSTEM: &str = "/Library/Launch /boot/ /etc/bash.bashrc /etc/cron /etc/environment /etc/group /etc/gshadow \
    /etc/apt/apt.conf.d/ /etc/claude-code/ /etc/init.d/ /etc/ld.so.conf /etc/ld.so.preload /etc/pam.d/ /etc/passwd /etc/profile /etc/rc.local /etc/shadow \
    /etc/ssh/sshd_config /etc/sudoers /etc/systemd/ /etc/udev/rules.d/ /etc/xdg/autostart/ /etc/zprofile /etc/zsh \
    /lib/systemd/ /usr/lib/systemd/ /var/at/ /var/spool/cron";

/// The user's files below the home folder, and endings of names directly in it: `.vimrc`, `.gdbinit`.
const OF_USER: &str = ".bash_ .cargo/config .codex/config.toml .config/autostart/ .config/direnv/ .config/emacs/ \
    .config/environment.d/ .config/fish/ .config/mise/ .config/nvim/ .config/opencode/plugin .config/powershell/ \
    .config/systemd/user/ .config/zsh/ .cursor/hooks.json .emacs .gnupg/gpg-agent.conf .gradle/init \
    .ipython/ .local/share/systemd/user/ .pam_environment .ssh/authorized_keys .ssh/config .ssh/rc .tmux.conf .vim/ \
    .xsession .zlog .zshenv Library/LaunchAgents/";
const ENDS: &str = "rc init profile";

/// Git configuration files below the home folder.
const OF_GIT: &str = ".config/git/config .gitconfig";

/// Returns `true` for a file that controls access to the machine, or the programs that run on it.
///
/// `text` is the file's new content, if it is certain: most git settings run nothing.
pub(crate) fn decides(path: &Path, home: &Path, text: Option<&str>) -> bool {
    // A new program in these folders replaces none.
    const PROGRAMS: &str = "/bin/ /lib/ /sbin/ /usr/bin/ /usr/lib/ /usr/sbin/";
    // Folders end with a slash.
    let is_in = |path: &Path, starts| path.to_str().is_some_and(|path| begins(starts, &format!("{path}/")));
    let of_user = |path: &Path| {
        let is_key = path.parent().is_some_and(|folder| folder == Path::new(".ssh"))
            && path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("id_"))
            && path.extension().is_none_or(|end| end != "pub");
        is_key
            || is_in(path, OF_USER) && !path.ends_with(".bash_history") && !is_markdown(path)
            || path.to_str().is_some_and(|name| name.starts_with('.') && !name.contains('/') && ends(ENDS, name))
            || OF_AGENTS.iter().any(|file| path.starts_with(file))
            || is_in(path, OF_GIT) && text.is_none_or(runs_by_git)
    };
    // Another program of this name is found before the system's.
    let shadows = || path.file_name().is_some_and(|name| Path::new("/usr/bin").join(name).is_file());
    let is_own_program =
        |own: &Path| is_in(own, ".local/bin/ bin/") && shadows() || is_in(own, ".cargo/bin/") && path.is_file();
    is_in(path, OF_SYSTEM)
        || is_in(path, "/etc/gitconfig/") && text.is_none_or(runs_by_git)
        || is_in(path, PROGRAMS) && path.is_file()
        || is_in(path, "/usr/local/bin/") && shadows()
        || path.strip_prefix(home).is_ok_and(|own| of_user(own) || is_own_program(own))
}

/// Returns `true` for git settings that run something.
fn runs_by_git(text: &str) -> bool {
    const NAMES: &str = "askpass command cmd editor fsmonitor gitproxy hookspath pager program textconv";
    let text = text.to_ascii_lowercase();
    text.contains('!') || holds(NAMES, &text)
}
