//! Package registries, and what is installed.

use super::{PROGRAM, Program};
use crate::Operands;

pub(super) const PACKAGES: &[Program] = &[
    Program {
        names: "npm",
        before: "--loglevel: --silent -s -g --global",
        reads: Some(
            "list/ls/la/ll | explain/why | prefix/root/bin/completion/ping/whoami/fund/run/run-script/version/-v $ | pkg get | \
            config/c get/ls/list | get | help-search | view/info/show/v | outdated | search/s/se | audit | sbom | stars | \
            owner/dist-tag/access/team/org/cache ls/list | dist-tags ls | profile get",
        ),
        options: "-d -g -p --audit-level --dev --global --include --link --omit --only --package-lock-only --parseable --prod \
            --production --sbom-format --sbom-type --searchlimit --workspace --workspaces -w",
        unless: "fix",
        operands: Operands::Words,
        settings: &[".npmrc"],
        ..PROGRAM
    },
    Program {
        names: "pip pip3",
        before: "--isolated --disable-pip-version-check --no-input",
        reads: Some(
            "list | show | freeze | check | index versions | cache dir/info/list | inspect | hash | debug | search",
        ),
        options: "-f -o -u --abi --editable --exclude --exclude-editable --files --implementation --include-editable --local \
            --no-index --not-required --only-binary --outdated --platform --pre --python-version --uptodate --user \
            --algorithm -e",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "gem",
        reads: Some("list | info | search | which | contents | dependency | outdated | environment"),
        options: "-d -e -i -r --details --exact --installed --local --pre --remote --versions",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "brew",
        reads: Some(
            "list/ls | leaves | deps | uses | desc | info | config | --prefix | --cellar | --cache | --repository | \
            services list | tap-info",
        ),
        options: "-1 -d -s --cask --casks --formula --formulae --full-name --installed --pinned --tree --versions --eval-all",
        unless: "*.rb *.json *.tar",
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "apt apt-cache apt-mark",
        reads: Some(
            "list | show | search | policy | depends | rdepends | madison | pkgnames | showpkg | stats | showhold | \
            showmanual | showauto",
        ),
        options: "-n --installed --names-only --recurse --upgradable --all-versions",
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "dpkg dpkg-query",
        reads: Some(
            "-l/-L/-s/-S/-p/-W/--list/--listfiles/--status/--search/--show/--get-selections/--print-architecture",
        ),
        options: "-f --showformat",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        // Other letters have it evaluate macros, which run programs.
        names: "rpm",
        reads: Some("-q/-qa/-qc/-qd/-qf/-qi/-ql/-qR/--query"),
        options: "--changelog --info --provides --requires --qf --queryformat --scripts --whatprovides",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "snap flatpak",
        reads: Some("list | info | find/search | connections | services | remotes"),
        options: "--app --runtime --user --system",
        operands: Operands::Words,
        ..PROGRAM
    },
];
