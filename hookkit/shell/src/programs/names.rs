//! Names of options and variables that change how a shell reads a script.

use super::table::{begins, lists};
use super::text::up_to;

/// Options of shells that do not change how a script is read. Others may enable aliases, or another syntax.
pub(crate) const HARMLESS_OPTIONS: &str = "errexit noclobber noexec noglob nounset pipefail verbose xtrace";

/// Options of `shopt` that only change which files a pattern matches, or where a pipeline ends.
pub(crate) const HARMLESS_SHOPT: &str =
    "-q -s -u dotglob failglob globstar inherit_errexit lastpipe nocaseglob nullglob";

/// Returns `true` if the shell evaluates a variable's value as arithmetic.
pub(crate) fn is_evaluated(name: &str) -> bool {
    lists("HISTCMD OPTIND RANDOM SRANDOM", name)
}

/// Returns `true` if a variable decides what a shell runs, or which code a program loads.
pub(crate) fn steers_shell(name: &str) -> bool {
    let name = up_to(name, '[');
    lists(
        "PATH path ENV BASH_ENV PS0 PS1 PS2 PS4 PROMPT PROMPT4 PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_CMDS \
        BASH_ALIASES ZDOTDIR FPATH fpath MODULE_PATH module_path commands aliases galiases saliases functions NULLCMD \
        READNULLCMD BASH_LOADABLES_PATH POSIXLY_CORRECT",
        name,
    ) || begins("LD_ DYLD_ BASH_FUNC_", name)
}

/// Returns `true` for a variable whose value a program runs.
pub fn runs_value(name: &str) -> bool {
    lists(
        "BROWSER EDITOR GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH \
        GIT_SSH_COMMAND LESSOPEN MANPAGER PAGER VISUAL",
        name,
    )
}

/// Returns the last component of a path.
pub fn base(name: &str) -> &str {
    let slash = name.bytes().rposition(|byte| byte == b'/');
    slash.map_or(name, |slash| &name[slash + 1..])
}
