use hookkit_shell::analyze;

use super::*;
use crate::deletes;

fn effect(line: &str) -> &'static str {
    let script = analyze(line);
    let [command] = script
        .all_commands()
        .unwrap_or_else(|parts| panic!("{line}: {parts:?}"))
    else {
        panic!("one command: {line}")
    };
    match () {
        () if reads(command).is_some() => "reads",
        () if builds(command).is_some() => "builds",
        () if edits(command).is_some() => "edits",
        () if deletes(command) => "deletes",
        () => "",
    }
}

#[test]
fn a_command_has_the_effect_of_its_row() {
    for (wanted, lines) in [
        (
            "reads",
            &[
                "kubectl get pods",
                "kubectl -n x --context=y get pods -o json",
                "kubectl --namespace x logs pod -c y --tail=5 -f",
                "aws --region r --output=json ec2 describe-instances --filters a b --no-paginate",
                "az vm list --output table",
                "az -o json network vnet subnet show --name x",
                "gcloud compute --project p instances describe list",
                "ip -4 addr show",
                "ip -s link",
                "journalctl -u x -n50 -f",
                "dmesg -THw",
                "npm view @types/node version",
                "terraform --version",
                "npm view @types/node",
                "gh pr list --repo owner/name",
                "kubectl delete --help",
                "docker help run",
                "docker run --help",
            ][..],
        ),
        (
            "builds",
            &[
                "docker compose -f x.yaml --profile p ps -a",
                "cargo test -p x -- --nocapture",
                "make -j8 -s test",
                "go test -run X ./...",
                "./gradlew --info test",
            ],
        ),
        ("edits", &["cargo fmt", "ruff check --fix .", "gofmt -w ."]),
        (
            "deletes",
            &[
                "aws ec2 terminate-instances --instance-ids i-1",
                "gcloud compute instances delete list",
                "heroku apps:destroy",
                "vault kv delete x",
                "java -jar /opt/jenkins-cli.jar -s x delete-job y",
                "kafka-topics.sh --delete --topic x",
                "az --subscription x vm delete -n y",
                "az search service delete -n y",
                "fly -a get apps destroy x",
                "aliyun ecs DeleteInstance",
            ],
        ),
        (
            "",
            &[
                // Behind a verb that reads or makes something are names.
                "gh release create delete",
                "vault policy read delete",
                "aws ec2 create-tags delete",
                "kafka-topics --topic delete",
                // Another command behind an option with a value, or behind a name.
                "kubectl -n get delete pods",
                "kubectl --unknown get pods",
                "docker --config get ps",
                "gcloud compute instances reset list",
                "az vm restart list",
                // Options that are not in the row, or take what follows elsewhere.
                "kubectl get pods --kubeconfig x",
                "kubectl get pods -- rm",
                "docker ps --host=tcp://x",
                "aws s3 ls s3://x --endpoint http://x",
                "aws iam get-user out",
                "aws iam get-user --no-paginate out",
                "journalctl --vacuum-time=1s",
                "dmesg -TC",
                "npm view owner/name",
                "gh pr list --repo example.com/owner/name",
                "docker run help",
                "launchctl reboot --help",
                "rpm -qE '%(x)'",
                "cdk synth -a x",
                "tsc @x",
                // Secrets.
                "aws apigateway get-api-keys",
                "az redis list-keys",
                "aws sts get-session-token",
                "kubectl get secrets",
                "kubectl get pods,secrets",
                "az keyvault secret show --name x",
                // Nothing may follow.
                "npm version major",
                "make test deploy",
                "npm run test deploy:now",
                // A path is a program of the checkout.
                "./kubectl get pods",
                "python3 script --help",
                "vault kv delete --dry-run x",
            ],
        ),
    ] {
        for line in lines {
            assert_eq!(effect(line), wanted, "{line}");
        }
    }
}

#[test]
fn a_row_says_what_its_operands_are_and_by_which_settings_it_goes() {
    let known = |line| {
        let script = analyze(line);
        let command = &script.commands()[0];
        reads(command).or_else(|| builds(command)).unwrap()
    };
    assert_eq!(known("aws logs tail /aws/lambda/x").operands, Operands::Names);
    assert_eq!(known("docker compose -f x.yaml ps").operands, Operands::Files);
    assert_eq!(known("npm ls").settings, [".npmrc"]);
    assert_eq!(known("gh pr list").settings, [".git"]);
    // What it can is not asked of anybody.
    assert_eq!(known("npm --version").settings, [""; 0]);
}
