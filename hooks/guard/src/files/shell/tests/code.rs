use super::*;

#[test]
fn code_that_names_a_secret_is_denied() {
    all(
        is_certain,
        &[
            "python3 -c \"print(open('.env').read())\"",
            "python3.12 - <<'X'\nimport os\nprint(open(\".env\").read())\nX",
            "node -e 'console.log(require(\"fs\").readFileSync(`.env`, \"utf8\"))'",
            "node -pe \"require('child_process').execSync('cat .env')\"",
            "bash.exe <<< 'cat .env'",
            "ruby -e 'puts File.read(\".env\")'",
            "perl -ne print .env",
            "php -r \"readfile('.env');\"",
            "deno eval 'console.log(Deno.readTextFileSync(\".env\"))'",
            "deno eval -p 'Deno.readTextFileSync(\".env\")'",
            "bun -e 'console.log(await Bun.file(\".env\").text())'",
            "bun eval 'console.log(await Bun.file(\".env\").text())'",
            "rails runner 'puts File.read(\".env\")'",
            "bundle exec rails runner 'puts File.read(\".env\")'",
            "php artisan tinker --execute='echo file_get_contents(\".env\");'",
            "elixir -e 'IO.puts File.read!(\".env\")'",
            "mix eval 'IO.puts File.read!(\".env\")'",
            "f=.env; python -c \"print(open('$f').read())\"",
            "echo \"print(open('.env').read())\" | python3",
            "python3 -c \"import base64; open(base64.b64decode('LmVudg=='))\"",
            "cat \"$(echo LmVudg== | base64 -d)\"",
        ],
    );
}

#[test]
fn code_that_opens_nothing_passes() {
    all(
        Option::is_none,
        &[
            "python3 -c \"import os; print(os.path.exists('.env'))\"",
            "python3 -c \"from pathlib import Path; print(Path('.env').exists())\"",
            "python3 -c \"print('.env')\"",
            "python3 - <<'X'\nimport os\nif not os.path.isfile('.env'):\n    print(\"none\", '.env')\nX",
            "python3 - <<'X'\np = 'README.md'\nt = open(p).read()\nopen(p, 'w').write(t.replace('.env.local', '.env'))\nX",
            "python3 -c \"t = open('x').read(); t = t.replace('.env.local', '.env')\"",
            "python3 -c \"print([l for l in open('.gitignore') if l.startswith('.env')])\"",
            "python3 -c \"import os; print([f for f in os.listdir() if '.env' in f or f == '.env'])\"",
            "node -e \"console.log(require('fs').existsSync('.env'))\"",
            "node -e \"if (fs.existsSync('.env')) { console.log('x') }\"",
            "node -e \"fs.writeFileSync('x.md', t.replace('.env.local', '.env'))\"",
            "ruby -e 'p File.exist?(\".env\")'",
            "ruby -e 'puts \".env\"'",
            "php -r \"var_dump(file_exists('.env'));\"",
            "awk '$1 == \".env\"' .gitignore",
        ],
    );
    all(
        is_possible,
        &[
            "python3 -c \"import os; print([open(f).read() for f in os.listdir() if f.startswith('.env')])\"",
            "python3 -c \"import os; [os.system('cat ' + f) for f in os.listdir() if f == '.env' and run(f)]\"",
            "awk '$1 == \".env\" { while ((getline l < $1) > 0) print l }' x",
            "ruby -e 'Dir.children(\".\").each { |f| puts File.read(f) if f == \".env\" }'",
            "cat $(python3 -c \"print('.env')\")",
            "python3 -c \"print('.env')\" | xargs cat",
        ],
    );
    all(
        is_certain,
        &[
            "python3 -c \"print(open('.env').read()) if exists('.env') else 0\"",
            "python3 -c \"open('x'.replace('x', '.env'))\"",
            "python3 -c \"open(f.replace('x', '.env'))\"",
            "python3 -c \"n = 'x'.replace('x', '.env'); print(open(n).read())\"",
            "python3 -c \"exists = open; print(exists('.env').read())\"",
            "python3 -c \"from io import open as exists; print(exists('.env').read())\"",
            "python3 -c \"def exists(p): return open(p).read()\nexists('.env')\"",
            "node -e \"const fs = { existsSync(p) { return read(p) } }; fs.existsSync('.env')\"",
            "python3 -c \"open( # print(\n'.env')\"",
            "python3 -c \"open('print(' and '.env')\"",
            "node -e \"read(/* print( */'.env')\"",
            "python3 -c \"print(f := '.env', open(f).read())\"",
            "node -e \"console.log('.env'.split().map(readFileSync))\"",
            "node -e \"fs.writeFileSync(f.replace('.x', '.env'), t)\"",
            "python3 -c \"Path('.env').read_text()\"",
            "python3 -c \"print(*map(open, ['.env']))\"",
            "python3 - <<'X'\n# don't\nprint(open('.env').read())\nX",
            "awk 'BEGIN { print(\".env\") | \"xargs cat\" }'",
            "awk 'BEGIN { print \".env\" > \"x\" }'",
            "php -r \"include('.env');\"",
            "ruby -e 'File.write(\".env\", \"x\")'",
            "bun -e 'Bun.write(\".env\", \"x\")'",
            "python3 -c \"import os; os.replace('.env', 'x')\"",
            "python3 -c \"import os as o; o.replace('.env', 'x')\"",
            "python3 -c \"from os import replace; replace('.env', 'x')\"",
            "python3 -c \"__import__('os').replace('.env', 'x')\"",
            "python3 -c \"Path('x').replace('.env')\"",
            "python3 -c \"open(\n f.replace('x', '.env'))\"",
            "python3 -c \"setattr(os.path, 'exists', open); print(exists('.env').read())\"",
            "mix run -e 'IO.puts File.read!(\".env\")'",
            "ruby -e 'puts File.read \".env\"'",
        ],
    );
}

#[test]
fn code_that_copies_a_public_file_to_where_none_is_passes() {
    all(
        Option::is_none,
        &[
            "php -r \"file_exists('.env') || copy('.env.example', '.env');\"",
            "php -r \"if (!file_exists('.env')) { copy('.env.example', '.env'); }\"",
            "php -r \"copy('.env.example', '.env.new');\"",
            "node -e \"if (!fs.existsSync('.env')) fs.copyFileSync('.env.example', '.env')\"",
            "python3 -c \"import os, shutil; os.path.exists('.env') or shutil.copy('.env.example', '.env')\"",
            "python3 - <<'X'\nimport os, shutil\nif not os.path.exists('.env'):\n    shutil.copy('.env.example', '.env')\nX",
        ],
    );
    all(
        is_certain,
        &[
            "php -r \"copy('.env.example', '.env');\"",
            "php -r \"file_exists('.env') && copy('.env.example', '.env');\"",
            "php -r \"false && file_exists('.env') || copy('.env.example', '.env');\"",
            "php -r \"if (file_exists('.env')) { copy('.env.example', '.env'); }\"",
            "php -r \"if (!file_exists('.env.x')) { copy('.env.example', '.env'); }\"",
            "php -r \"file_exists('.env') || copy('x', '.env');\"",
            "php -r \"file_exists('.env') || copy('.env.example', '.env'); readfile('.env');\"",
            "php -r \"file_exists('.env') || /* ' */ copy('.env.example', '.env');\"",
            "python3 -c \"import shutil; shutil.copy('.env', '.env.example')\"",
            "python3 -c \"copy = lambda a, b: print(open(b).read()); copy('.env.example', '.env.new')\"",
        ],
    );
}
