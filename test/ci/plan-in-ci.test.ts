// The GitHub Action and the GitLab template against a real git repository with YAML of other programs: a shallow clone, a target branch
// that has moved on, and the merge base as the old world.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readJunit } from "../support/junit.ts";
import { sarifFaults } from "../support/sarif.ts";
import { Repository } from "./repository.ts";
import { runAction, runGitlab } from "./runner.ts";

let folder: string;
let repository: Repository;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-ci-"));
  repository = new Repository(folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const paths = "policies\ncluster\n";
const github = { "github.base_ref": "main", "github.event.number": "7", "github.token": "x" };
const change =
  "all 20 pods of 10 namespaces → kube-system k8s-app=kube-dns, udp 53, tcp 53%0A" +
  "NetworkPolicy dns was removed in 10 namespaces; deny isolates them%0A" +
  "DNS lost: none of these pods reaches a DNS server over udp 53 or tcp 53";

describe("the GitHub Action", () => {
  test("comments, annotates the removed file, and fails: DNS is lost", () => {
    const clone = repository.clone("edit");
    const { code, stdout, stderr, comment, summary } = runAction(clone, { paths }, github, { sources: true });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--fail-on allow-to-deny: 1 newly denied, DNS lost"),
    ]);
    expect(stdout.trim()).toBe(`::error file=policies/dns.yaml,title=NEWLY DENIED::${change}`);
    expect(comment).toMatch(/^### Network policy plan: 1 newly denied, DNS lost\n/);
    expect(summary).toBe(comment);
    const report = (name: string) => readFileSync(join(clone, "northgate", name), "utf8");
    expect(sarifFaults(JSON.parse(report("plan.sarif")))).toEqual([]);
    expect(readJunit(report("plan.junit.xml")).attributes.get("failures")).toBe("1");
  });

  test("leaves YAML of other programs alone, counts it, and names the templates of a chart", () => {
    const clone = repository.clone("edit");
    const { stderr } = runAction(clone, { paths, "fail-on": "" }, github);
    // docker-compose.yaml, package.json and values.yaml of both worlds; folders with a dot are not read.
    expect(stderr).toMatch(/left alone: 6 documents without apiVersion, kind, metadata and spec$/m);
    const named = /left out: \S*policies\/chart\/templates, the templates of a Helm chart/g;
    expect(stderr.match(named)).toHaveLength(2);
    expect(stderr).not.toContain("error");
  });

  test("leaves the clone as it was: no worktree, no file but the reports", () => {
    const clone = repository.clone("main");
    const { code, comment } = runAction(clone, { paths, comment: "false" }, github);
    expect([code, comment]).toEqual([0, null]);
    expect(repository.said(clone, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(repository.said(clone, "status", "--porcelain").trim()).toBe("?? northgate/");
  });

  test("passes where nothing is asked to fail, with the change as a warning", () => {
    repository.branch("lenient", (work) => {
      rmSync(join(work, "policies", "dns.yaml"));
    });
    const { code, stdout } = runAction(
      repository.clone("lenient"),
      { paths, "fail-on": "deny-to-allow" },
      github,
    );
    expect([code, stdout.trim()]).toEqual([
      0,
      `::warning file=policies/dns.yaml,title=NEWLY DENIED::${change}`,
    ]);
  });

  test("policies that are new, in a folder that the merge base lacks", () => {
    repository.branch("more", (work) => {
      mkdirSync(join(work, "more"));
      writeFileSync(join(work, "more", "np.yaml"), isolating);
    });
    const all = `${paths}./more/\n`;
    const { code, stdout } = runAction(repository.clone("more"), { paths: all }, github);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^::error file=more\/np\.yaml,line=\d+,title=NEWLY DENIED::/);
  });

  test("policies whose whole folder was removed, and one that was moved", () => {
    repository.branch("none", (work) => {
      rmSync(join(work, "policies"), { recursive: true });
    });
    const { code, stdout } = runAction(
      repository.clone("none"),
      { paths, "fail-on": "deny-to-allow" },
      github,
    );
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/^::error file=policies\/[a-z]+\.yaml,title=NEWLY ALLOWED::/),
    ]);
    repository.branch("moved", (work) => {
      renameSync(join(work, "policies", "dns.yaml"), join(work, "policies", "names.yaml"));
    });
    expect(runAction(repository.clone("moved"), { paths }, github)).toMatchObject({
      ...{ code: 0, stdout: "::notice title=Network policy plan::No verdict differs.\n" },
    });
  });

  test("a manifest that is refused is exit code 1, and a path that is nowhere too", () => {
    repository.branch("broken", (work) => {
      writeFileSync(
        join(work, "policies", "odd.yaml"),
        isolating.replace("podSelector: {}", "podSelector: 7"),
      );
    });
    const broken = runAction(repository.clone("broken"), { paths }, github);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("policies/odd.yaml")]);
    const nowhere = runAction(repository.clone("more"), { paths: "nowhere" }, github);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("none of the paths")]);
  });
});

test("the GitLab template: the same plan in the log, the reports as artifacts, the same exit code", () => {
  const variables = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", NORTHGATE_PATHS: paths };
  const clone = repository.clone("edit");
  const { code, stdout, comment } = runGitlab(clone, variables);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^NEWLY DENIED {3}all 20 pods of 10 namespaces → kube-system k8s-app=kube-dns/);
  expect(comment).toMatch(/^### Network policy plan: 1 newly denied, DNS lost\n/);
  expect(
    readJunit(readFileSync(join(clone, "northgate", "plan.junit.xml"), "utf8")).attributes.get("failures"),
  ).toBe("1");
});

const isolating = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  namespace: search
  name: closed
spec:
  podSelector: {}
  policyTypes: [Ingress]
`;
