//! Clouds, clusters, containers, and where code is kept.

use super::{PROGRAM, Program};
use crate::Operands;

pub(super) const SERVICES: &[Program] = &[
    // Clouds.
    Program {
        names: "aws",
        before: "--region: --profile: --output: --query: --color: --no-cli-pager --no-paginate",
        reads: Some(
            "* describe-*/list-* | acm/apigateway/athena/autoscaling/budgets/ce/cloudformation/cloudfront/cloudtrail/\
            cloudwatch/codebuild/codecommit/codepipeline/config/configservice/cognito-idp/dynamodb/ec2/ecr/ecs/eks/elasticache/elbv2/events/\
            glue/iam/kms/lambda/logs/organizations/rds/resourcegroupstaggingapi/route53/s3control/servicediscovery/sns/sqs/ssm/\
            sts/support/wafv2/xray get-*/lookup-*/batch-get-*/search-*/admin-get-*/admin-list-*/simulate-* | \
            s3api get-bucket-*/get-object-acl/get-object-attributes/get-object-tagging/get-public-access-block/head-* | \
            dynamodb query/scan/transact-get-items | logs filter-log-events | cloudformation validate-template | configure list | help | * help",
        ),
        options: "*",
        // The first ones write what they get into a file. An address is another server, and a link opens a session.
        unless: "get-export get-sdk describe-input-device-thumbnail get-connection get-connections describe-user-pool-client \
            get-console-screenshot get-job-details describe-identity-provider get-login get-federation* ~embed ~key ~keys ~secret ~secrets ~url ~urls ~endpoint \
            --ca-bundle --cli-auto-prompt --cli-input-json --cli-input-yaml --debug --no-verify-ssl --outfile \
            --with-decryption",
        operands: Operands::None,
        deletes: Some("close-account release-address release-hosts schedule-key-deletion unsubscribe"),
        ..PROGRAM
    },
    Program {
        names: "aws",
        before: "--region: --profile: --output: --no-cli-pager",
        reads: Some("s3 ls | logs tail"),
        options: "--filter-pattern --follow --log-stream-names --recursive --human-readable --summarize --request-payer",
        ..PROGRAM
    },
    Program {
        names: "az",
        before: "--subscription: --output: -o: --query: --resource-group: -g: --only-show-errors --verbose",
        reads: Some(
            "** list/list-*/show/show-*/query/exists/get-versions/get-upgrades/get-instance-view/logs | account show | version | bicep version/list-versions",
        ),
        options: "*",
        unless: "*/ *=@ ~file --resolve-keyvault --sdk-auth ~key ~keys ~secret ~secrets ~connection ~publishing ~endpoint ~url ~uri ~proxy appsettings deployment-profiles \
            config rest find interactive configure @* --file -f --output-file --destination --open --debug create delete \
            update set add remove start stop restart reset run invoke",
        operands: Operands::None,
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "gcloud",
        before: "--account: --configuration: --filter: --format: --limit: --project: --region: --sort-by: \
            --verbosity: --zone:",
        reads: Some(
            "** describe/list/list-grantable-roles/list-tags/get-iam-policy/get-ancestors | logging read | \
            functions/services logs read | app/run logs read/tail | run services logs read | config get/get-value/list | \
            info | topic *",
        ),
        groups: "access-context-manager accounts active-directory ai alpha app api-gateway apis artifacts asset assets auth \
            backend-buckets backend-services backups beta bigtable billing billing-accounts bindings buckets builds \
            certificate-manager certificates channels cloud-shell cluster clusters composer compute config configs \
            configurations connectors container dataflow dataproc databases dataplex datastore deploy deployment-manager \
            deployments disks dns docker domains endpoints environments essential-contacts eventarc filestore firebase \
            firestore firewall-rules firewalls folders forwarding-rules functions gateway-security-policies gateways \
            groups health-checks iam iap identity images indexes instance-groups instance-templates instances jobs \
            keyrings keys kms locations logging logs machine-types managed managed-zones memcache metrics ml-engine \
            monitoring network-endpoint-groups network-security networks node-pools notebooks objects operations \
            organizations org-policies packages policies projects pubsub queues record-sets recommender redis regions \
            registrations releases replicas repositories resource-manager revisions roles routers routes routines run \
            runs scc schedules scheduler schemas security-policies server-tls-policies service-accounts \
            service-directory service-perimeters services settings snapshots snapshot-schedules source spanner sql \
            ssl-certificates ssl-policies storage subnets subscriptions tags target-http-proxies target-https-proxies \
            target-pools tasks tiers topics triggers trust-configs tpus url-maps users versions volumes vpn-gateways \
            vpn-tunnels web workbench worker-pools workflows workspaces zones",
        options: "*",
        // Without a question it installs what it lacks.
        unless: "./ -q --quiet --access-token-file --flags-file --log-http --impersonate-service-account secrets",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "doctl",
        reads: Some("** list/get"),
        groups: "1-click account action apps balance billing-history cdn certificate cluster compute domain droplet firewall image invoice k8s kubernetes load-balancer monitoring network node-pool options \
            pool project projects records region registry repository reserved-ip size snapshot tag volume vpcs",
        options: "--format --output -o --no-header",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "hcloud linode-cli",
        reads: Some("* list/describe/view/ls"),
        options: "--output -o",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "fly flyctl",
        reads: Some("status/logs $ | apps/releases/volumes/ips/machine/machines list $ | platform regions/status $"),
        before: "-a: --app: -j --json",
        deletes: Some("unset"),
        ..PROGRAM
    },
    Program {
        names: "heroku",
        before: "-a: --app: -n: --num: -t --tail --json",
        reads: Some("apps/apps:info/ps/releases/addons/domains/logs/pg:info/regions/status $"),
        deletes: Some("uninstall pg:reset"),
        ..PROGRAM
    },
    Program {
        names: "auth0",
        before: "--tenant: --no-input",
        reads: Some(
            "actions/apis/apps/domains/logs/orgs/roles/rules/tenants/users/event-streams list/show/search/stats/tail",
        ),
        options: "--number -n",
        ..PROGRAM
    },
    // Clusters and containers.
    Program {
        names: "kubectl oc",
        before: "-n: --namespace: --context: --cluster: --as: --request-timeout:",
        reads: Some(
            "get | describe | explain | top | events | version | cluster-info | api-resources | api-versions | \
            auth can-i/whoami | rollout status/history | config current-context/get-contexts/get-clusters/get-users/view | \
            completion | options | wait",
        ),
        options: "-A -L -o -ojson -oname -owide -oyaml -w --output --watch --containers --field-selector --show-kind --show-managed-fields \
            --sort-by --api-group --api-version --namespaced --for --for-condition --recursive --ignore-not-found \
            --client --minify --revision --timeout --types --list --subresource --output-watch-events --chunk-size \
            --no-headers --sum --use-protocol-buffers",
        unless: "~secret ~secrets *-file *templatefile",
        ..PROGRAM
    },
    Program {
        names: "kubectl oc",
        before: "-n: --namespace: --context: --cluster:",
        reads: Some("logs"),
        options: "-c -f -p --all-containers --container --follow --ignore-errors --limit-bytes --max-log-requests \
            --pod-running-timeout --prefix --previous --since-time --timestamps",
        ..PROGRAM
    },
    Program {
        names: "helm",
        before: "-n: --namespace: --kube-context:",
        reads: Some("list/ls | status | history | search repo/hub | repo list | version"),
        options: "-A -d -m -o -r --date --deployed --devel --failed --max --output --pending --reverse --revision \
            --superseded --uninstalled --uninstalling --version --versions -l",
        ..PROGRAM
    },
    Program {
        names: "docker nerdctl podman",
        before: "-c: --context: -l: --log-level:",
        reads: Some(
            "ps | images | info | version | inspect | logs | top * $ | port | stats | history | events | diff | \
            container ls/list/ps/inspect/logs/port/stats/diff | image ls/list/inspect/history | \
            volume/network/plugin/node/service/stack/context/secret ls/list/inspect/ps/show | service logs | \
            system df/info/events | builder/buildx ls/version/du",
        ),
        options: "-f -n -s -t --digests --details --follow --index --last --latest --no-stream --services --stream",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        // A compose file can include one of another server.
        names: "docker podman",
        before: "-f: --file: -p: --project-name: --project-directory: --profile:",
        builds: Some("compose ps/ls/logs/images/top/port/version/events/stats"),
        options: "-a -f -n -t --all --follow --format --no-trunc --services --since --status --tail --timestamps --until",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "docker-compose",
        before: "-f: --file: -p: --project-name: --project-directory: --profile:",
        builds: Some("ps | ls | logs | images | top | port | version | events"),
        options: "-a -f -n -t --all --follow --services --since --tail --timestamps",
        operands: Operands::Files,
        ..PROGRAM
    },
    Program {
        names: "argocd",
        reads: Some("app list/get/history/resources | cluster/proj/repo list/get | version"),
        options: "-o --output --client",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "eksctl flux istioctl kops nomad velero",
        reads: Some(
            "get cluster/clusters/nodegroup/nodegroups/addon/addons/all/sources/kustomizations/helmreleases/ig/instancegroups | \
            backup/restore/schedule get | check | version | proxy-status | job/node/alloc/deployment status | server members | \
            status",
        ),
        options: "-n -A -o --output --cluster",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "vault",
        reads: Some("status | auth/policy/secrets list"),
        options: "-format -detailed",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    // Where code is kept.
    Program {
        names: "gh",
        before: "-R: --repo:",
        reads: Some(
            "pr list/view/status/checks/diff | issue list/view/status | run list/view/watch | repo view/list | \
            release list/view | workflow list/view | gist list/view | label list | search code/commits/issues/prs/repos | status | cache list | \
            ruleset list/view/check | project list/view/item-list/field-list | auth status | org list | alias list | \
            extension list | secret list",
        ),
        options: "-A -B -H -L -S -b -c -d -e -j -m -q -s -u --app --archived --assignee --attempt --author --base \
            --branch --comments --commit --created --draft --event --exit-status --head --interval --jq --job \
            --language --log --log-failed --match --mention --merged --merged-at --milestone --name-only --org --owner \
            --patch --required --reviewed-by --review-requested --search --source --template --topic --user --visibility \
            --watch --workflow --yaml",
        // In a filter of `--jq` it is the environment; a name with two slashes is of another server.
        unless: "*env // @:",
        settings: &[".git"],
        deletes: Some("uninstall archive"),
        ..PROGRAM
    },
    Program {
        names: "glab",
        before: "-R: --repo:",
        reads: Some(
            "mr/issue list/view/diff | ci list/view/status | pipeline list | repo view | release list/view | label list",
        ),
        options: "-A -F -O -P -p --assignee --author --closed --comments --mine --merged --output --search",
        unless: "// @:",
        settings: &[".git"],
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    // Services of which only the deleting commands are known.
    Program {
        names: "aliyun amplify atlas azcopy b2 bq buildkite-agent bw cf circleci cloudflared consul \
            copilot crane databricks dokku doppler etcdctl firebase govc hub ibmcloud incus infisical \
            influx mc netlify oci op openstack oras pct pscale qm rabbitmqadmin railway rpk s3cmd \
            sam scw sentry-cli sf sfdx skopeo snapper snyk stripe supabase turso twilio vercel \
            wrangler",
        deletes: Some("uninstall"),
        ..PROGRAM
    },
    Program {
        names: "etcdctl nats s3cmd",
        deletes: Some("del"),
        ..PROGRAM
    },
    Program {
        names: "bq databricks ibmcloud nats snapper vercel",
        deletes: Some("rm"),
        ..PROGRAM
    },
    Program {
        names: "rabbitmqctl",
        reads: Some("list_* | status | cluster_status | ping | version"),
        deletes: Some("reset force_reset forget_cluster_node clear_permissions"),
        ..PROGRAM
    },
    Program {
        names: "rclone",
        deletes: Some("sync move deletefile rmdir rmdirs cleanup"),
        ..PROGRAM
    },
    Program {
        names: "restic",
        deletes: Some("forget"),
        ..PROGRAM
    },
    Program {
        names: "borg",
        deletes: Some("compact rdelete repo-delete"),
        ..PROGRAM
    },
    Program {
        names: "gitlab-runner",
        deletes: Some("unregister"),
        ..PROGRAM
    },
    Program {
        names: "jenkins-cli jenkins-cli.jar",
        deletes: Some(""),
        ..PROGRAM
    },
    Program {
        names: "kafka-acls kafka-configs kafka-consumer-groups kafka-topics",
        deletes: Some("--delete --remove --delete-config --alter-and-delete"),
        ..PROGRAM
    },
    Program {
        names: "kafka-delete-records",
        deletes: Some("--offset-json-file"),
        ..PROGRAM
    },
    Program {
        names: "security",
        deletes: Some("dump-keychain"),
        ..PROGRAM
    },
];
