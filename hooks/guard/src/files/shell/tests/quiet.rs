use super::*;

#[test]
fn programs_that_print_no_line_pass() {
    all(
        Option::is_none,
        &[
            "grep -q '^TOKEN=' .env && echo set",
            "grep -qE '^TOKEN=.+' .env",
            "grep -rl TOKEN . .env",
            "rg -l TOKEN -g '*.pem'",
            "rg -q TOKEN .env",
            "git grep -l TOKEN -- .env",
            "wc -l < .env",
            "sha256sum .env certs/server.key",
            "diff -q .env .env.example",
            "cmp -s .env .env.old || echo differs",
            "git update-index --skip-worktree .env",
            "zip -r x.zip . -x '.env' '*.pem'",
            "vault login -method=cert -client-cert=c.pem -client-key=k.pem",
            "mongosh --tlsCertificateKeyFile client.pem",
            "cat .env.enc",
        ],
    );
    all(
        is_certain,
        &[
            "grep -e -q .env",
            "grep -A -q -e x .env",
            "grep --max-count -q -e x .env",
            "grep -- -q .env",
            "grep --color -q TOKEN .env",
            "rg -g -c TOKEN .env",
            "rg -L TOKEN .env",
            "grep -c TOKEN .env",
            "diff -uq .env x",
            "diff -U -q .env x",
            "cmp -l .env x",
            "read x < .env",
            "git update-index --add --skip-worktree .env",
            "zip -P -x x.zip .env",
            "zip -r x.zip . -x '*.log' -i .env",
            "zip x.zip -x '*.log' @ .env",
            "cat .env.stage",
            "cat .env.keys",
        ],
    );
}
