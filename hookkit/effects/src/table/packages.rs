//! Package registries, and what is installed.

use super::{PROGRAM, Program};
use crate::Operands;

pub(super) const PACKAGES: &[Program] = &[
    Program {
        names: "npm",
        before: "--loglevel: --silent -s -g --global",
        reads: Some(
            "list/ls/la/ll | explain/why | prefix $ | root $ | bin $ | pkg get | query | config/c get/ls/list | completion $ | get | help-search | \
            view/info/show/v | outdated | search/s/se/find | audit | fund | ping $ | whoami $ | \
            owner/dist-tag/access/team/org/cache ls/list | dist-tags ls | profile get | find-dupes | sbom | stars | diff | \
            run/run-script/version $ | -v $",
        ),
        options: "-d -g -p --audit-level --dev --diff --diff-name-only --global --include --link --list --omit --only \
            --package-lock-only --parseable --prod --production --sbom-format --sbom-type --searchlimit --workspace \
            --workspaces -w",
        unless: "fix",
        operands: Operands::Files,
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
            --no-index --not-required --only-binary --outdated --path --platform --pre --python-version --uptodate --user \
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
        ..PROGRAM
    },
    Program {
        names: "apt apt-cache apt-mark",
        reads: Some(
            "list | show | search | policy | depends | rdepends | madison | pkgnames | showpkg | stats | showhold | \
            showmanual | showauto",
        ),
        options: "-n --installed --names-only --recurse --upgradable --all-versions",
        ..PROGRAM
    },
    Program {
        names: "dpkg dpkg-query rpm",
        reads: Some(
            "-l/-L/-s/-S/-p/-W/-q*/--list/--listfiles/--status/--search/--query/--show/--get-selections/--print-architecture",
        ),
        options: "-f -i -p --changelog --info --list --provides --requires --qf --queryformat --scripts --showformat \
            --whatprovides",
        ..PROGRAM
    },
    Program {
        names: "snap flatpak",
        reads: Some("list | info | find/search | connections | services | remotes"),
        options: "--app --runtime --user --system",
        ..PROGRAM
    },
];
