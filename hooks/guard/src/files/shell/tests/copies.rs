use super::*;

#[test]
fn a_copy_that_replaces_nothing_passes() {
    all(
        Option::is_none,
        &[
            "[ -f .env ] || cp .env.example .env",
            "test -f .env || cp .env.example .env",
            "[[ -e ./.env ]] || cp -v .env.example .env",
            "[ ! -f .env ] && cp .env.example .env",
            "[[ ! -f \".env\" ]] && cp .env.example .env",
            "cd . && if [[ ! -f .env ]]; then cp .env.example .env; fi",
            "! test -f .env && cp .env.example .env",
            "if [ ! -f .env ]; then cp .env.example .env; fi",
            "if ! [ -f .env ]\nthen\n  echo new\n  cp .env.example .env\nfi",
            "if [ -f .env ]; then echo there; else cp .env.example .env; fi",
            "[ -f .env ] || { echo new; cp .env.example .env; }",
            "[ -f .env ] || { echo new >&2; mkdir -p x; cp .env.example .env; }",
            "cd . && [ ! -f .env ] && cp .env.example .env",
            "npm ci; [ -f .env ] || cp .env.example .env && npm run dev",
            "cp -n .env.example .env",
            "cp --no-clobber .env.example .env",
            "cp -pn .env.{example,local} && cp .env.example .env.new",
        ],
    );
    all(
        is_certain,
        &[
            "cp .env.example .env",
            "[ -f .env ] && cp .env.example .env",
            "[ ! -f .env ] || cp .env.example .env",
            "[ -f .env.x ] || cp .env.example .env",
            "[ -d .env ] || cp .env.example .env",
            "[ -f .env ]; cp .env.example .env",
            "[ -f src/../.env ] || cp .env.example .env",
            "[ -f .env ] < none || cp .env.example .env",
            "[ -f .env -a -f x ] || cp .env.example .env",
            "[ -f .env ] || echo new; cp .env.example .env",
            "[ -f .env ] || echo new && cp .env.example .env",
            "[ ! -f .env ] && echo new; cp .env.example .env",
            "if [ ! -f .env ]; then echo x > .env; cp .env.example .env; fi",
            "if [ ! -f .env ]; then mv x .env; cp .env.example .env; fi",
            "[ -f .env ] 2>&1 || cp .env.example .env",
            "[ -f .env ] || { echo new; }; cp .env.example .env",
            "[ -f .env ] || cp x y; cp .env.example .env",
            "false && [ -f .env ] || cp .env.example .env",
            "true || [ ! -f .env ] && cp .env.example .env",
            "if true || [ ! -f .env ]; then cp .env.example .env; fi",
            "if [ ! -f .env ]; then echo new; else cp .env.example .env; fi",
            "if [ ! -f .env ]; then echo new; fi; cp .env.example .env",
            "! ! [ -f .env ] && cp .env.example .env; cat .env",
            "test() { false; }; test -f .env || cp .env.example .env",
            "alias test=false; test -f .env || cp .env.example .env",
            "false && \\\n [ -f .env ] || cp .env.example .env",
            "false && # x\n [ -f .env ] || cp .env.example .env",
            "false <<'{' &&\n{\n[ -f .env ] || cp .env.example .env",
            "cat <<'&&'\n[[ ! -f .env ]]\n&&\ncp .env.example .env",
            "# [[ ! -f .env ]] &&\ncp .env.example .env",
            "echo [[ ! -f .env ]] && cp .env.example .env",
            "false && [[ -f .env ]] || cp .env.example .env",
            "[[ -f .env && -f x ]] || cp .env.example .env",
            "[ -f .env ] | cp .env.example .env",
            "(cd x; [ -f .env ]) || cp .env.example .env",
            "[ -f .env ] || cp .env .env.new",
            "cp -n .env .env.new",
            "cp -nt src .env.example .env",
            "cp -n --target-directory=src .env.example .env",
            "cp -nf .env.example .env",
            "cp -n -i .env.example .env",
            "[ -f .env ] || cp .env.example .env > .env.x",
            "cp -n .env.example .env; cat .env",
            "alias cp='cp -f'; cp -n .env.example .env",
            "cp .env.example src/../.env.new",
        ],
    );
}

#[test]
fn a_link_with_the_name_of_a_public_file_is_not_copied() {
    let project = project(&[".env"]);
    symlink(".env", project.path().join(".env.example")).unwrap();
    assert!(is_certain(&found(&project, "cp .env.example notes.txt")));
    assert!(is_certain(&found(&project, "cp -n .env.example .env.new")));
}

#[test]
fn a_new_link_that_is_known_by_its_name_passes() {
    all(
        Option::is_none,
        &[
            "ln -s ../.env src/.env", "ln -sfn ../../.env src/web/.env", "ln -s certs/server.key x.key",
        ],
    );
    all(
        is_certain,
        &[
            "ln -s .env notes.txt", "ln -sf ../.env .env", "ln -s .env src", "ln .env .env.new",
            "ln -s .env src/.env && cat src/.env", "ln -s .env src/../.env.new",
        ],
    );
}
