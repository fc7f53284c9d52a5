//! Programs by which the machine is asked, archives and certificates.

use super::{PROGRAM, Program};
use crate::Operands;

pub(super) const MACHINE: &[Program] = &[
    Program {
        names: "systemctl",
        before: "--user --system --no-pager --full --plain --legend: --type: -t: --state: --all -a -l -q --quiet",
        reads: Some(
            "$ | --failed $ | status | cat | is-active | is-enabled | is-failed | is-system-running | get-default | \
            list-units/list-unit-files/list-timers/list-sockets/list-jobs/list-dependencies/list-paths/list-machines",
        ),
        options: "-n -o -p --failed --lines --output --property --recursive --reverse --value --before --after",
        ..PROGRAM
    },
    Program {
        names: "journalctl",
        reads: Some(""),
        options: "-b -e -f -k -m -n -o -p -r -t -u -x -S -U -N -F -g --boot --catalog --disk-usage --dmesg --facility --field \
            --fields --follow --full --grep --header --identifier --lines --list-boots --list-catalog --merge --no-full \
            --no-hostname --no-tail --output --output-fields --pager-end --priority --reverse --since --system --unit \
            --until --user --user-unit --utc --verify",
        ..PROGRAM
    },
    Program {
        names: "hostnamectl timedatectl localectl loginctl",
        reads: Some("$ | status | show | list-* | timesync-status | session-status | user-status"),
        options: "--no-pager -p --property --value",
        ..PROGRAM
    },
    Program {
        names: "dmesg",
        reads: Some(""),
        options: "-H -L -P -S -T -e -f -k -r -t -u -w -W -x --ctime --decode --facility --follow --human --kernel --level \
            --nopager --notime --raw --reltime --syslog --time-format --userspace",
        ..PROGRAM
    },
    Program {
        names: "ip",
        before: "-0 -4 -6 -B -br -brief --brief -c -color -d -details -h -human -human-readable -I -iec -j -json -M -N -o -oneline -p -pretty \
            -r -resolve -s -stats -statistics -t -timestamp -f: -family: -n: -netns:",
        reads: Some(
            "address/addr/a/link/l/lin/route/ro/r/rule/ru/neighbour/neighbor/neigh/n/tunnel/tunl/tuntap/tunt/maddress/maddr/\
            mroute/netconf/ntable/tcp_metrics/vrf/stats $ | \
            address/addr/a/link/l/lin/route/ro/r/rule/ru/neighbour/neighbor/neigh/n/tunnel/tunl/tuntap/tunt/maddress/maddr/\
            mroute/netconf/ntable/tcp_metrics/vrf/stats show/list/lst/ls | \
            route/ro/r/neighbour/neighbor/neigh/n get | monitor | netns $ | netns list/ls/show/identify/pids",
        ),
        ..PROGRAM
    },
    Program {
        names: "node perl php ruby",
        reads: Some("-v $"),
        ..PROGRAM
    },
    Program {
        names: "ifconfig",
        reads: Some("$ | -a $ | -s $ | -v $ | * $"),
        ..PROGRAM
    },
    Program {
        names: "sysctl",
        reads: Some(""),
        options: "-N -b -d -e -n -o -x --deprecated --names --values",
        // `name=value` sets it.
        unless: "*=",
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "free lsblk lscpu lsmem lsusb vmstat groups locale tty w who last sw_vers system_profiler",
        reads: Some(""),
        options: "-b -f -g -i -k -m -n -o -p -r -t -u --bytes --giga --gibi --human --kilo --mega --output --parse --total \
            -productVersion -productName -buildVersion -detailLevel -xml",
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "networksetup",
        reads: Some("-get*/-list*/-show*/-is*/-help/-version/-printcommands"),
        ..PROGRAM
    },
    Program {
        names: "launchctl",
        reads: Some(
            "list | print-cache | print-disabled | blame | dumpstate | dumpjpcategory | hostinfo | procinfo | \
            resolveport | managername | managerpid | manageruid | error | variant",
        ),
        ..PROGRAM
    },
    Program {
        names: "tmutil",
        reads: Some(
            "list* | latestbackup | destinationinfo | isexcluded | machinedirectory | uniquesize | status | help",
        ),
        options: "-X -d -m -t",
        ..PROGRAM
    },
    Program {
        names: "diskutil",
        reads: Some("list | info | information | activity | listFilesystems"),
        options: "-plist",
        ..PROGRAM
    },
    Program {
        names: "pkgutil",
        reads: Some(
            "--pkgs*/--files/--pkg-info*/--file-info*/--groups*/--group-pkgs/--pkg-groups/--payload-files/--check-signature/\
            --export-plist",
        ),
        options: "--only-files --only-dirs --regexp",
        ..PROGRAM
    },
    Program {
        names: "codesign",
        reads: Some("-d/-dv/-dvv/-dvvv/-dvvvv/--display/-v/-vv/-vvv/-vvvv/--verify"),
        options: "-d -v --deep --strict --validate-constraint",
        ..PROGRAM
    },
    Program {
        names: "spctl",
        reads: Some("--assess/-a/--status/--disable-status"),
        options: "-t --type",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "hdiutil",
        reads: Some("info/imageinfo/isencrypted/checksum/pmap/plugins"),
        options: "-plist -type",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "lipo",
        reads: Some("-info/-archs/-detailed_info"),
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "plutil",
        reads: Some("-p/-lint"),
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "defaults",
        before: "-currentHost -host:",
        reads: Some("read/read-type * | domains $ | find *"),
        // A domain can be the path of a file.
        operands: Operands::Words,
        ..PROGRAM
    },
    Program {
        names: "scutil",
        reads: Some("--get/--dns/--proxy/--nwi/-w"),
        options: "-t",
        ..PROGRAM
    },
    Program {
        names: "dscl",
        before: "-plist -raw -url",
        reads: Some(". list/read/readall/search/diff/-list/-read/-readall/-search/-diff"),
        ..PROGRAM
    },
    Program {
        names: "profiles",
        reads: Some("list/show/status"),
        options: "-type -user -verbose -all",
        ..PROGRAM
    },
    Program {
        names: "security",
        reads: Some("find-certificate/find-identity/error/leaks/dump-trust-settings/list-smartcards"),
        options: "-Z -c -d -e -m -p -s",
        ..PROGRAM
    },
    Program {
        names: "7z 7za 7zr 7zz",
        reads: Some("l/t/i/h/b"),
        options: "-ba -r -slt",
        unless: "@*",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        // A name with a colon is a key of an engine, which is loaded.
        names: "openssl",
        unless: "*:",
        reads: Some("version | list | ciphers | x509/req/crl -noout"),
        options: "-a -checkend -cipher-algorithms -cipher-commands -commands -dates -digest-commands -email -enddate -ext \
            -fingerprint -hash -in -inform -issuer -md5 -modulus -nameopt -noout -pubkey -purpose -serial -sha1 -sha256 \
            -startdate -subject -text -tls1_2 -tls1_3",
        operands: Operands::Files,
        ..PROGRAM
    },
];
