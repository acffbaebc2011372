// kubectl's habits, in words of northgate's: each line is what is behind `kubectl northgate`, and what northgate is asked.

import { expect, test } from "@jest/globals";
import { UsageError } from "../../config/values.ts";
import { fromKubectl } from "./kubectl.ts";

const translated = async (line: string) => {
  const { args, note } = await fromKubectl(line.split(" "), ({ context }) =>
    Promise.resolve(context === null ? "of-context" : `of-${context}`),
  );
  return [...args, ...(note === null ? [] : [note])].join(" ");
};
const idle = "--namespace is for pods that are named without one: policies of every namespace are read";

test.each([
  ["get", "get"],
  ["get pod/web", "get pod of-context/web"],
  ["get pod/web -n shop", "get pod shop/web"],
  ["get -n shop pod web -o wide", "get --output=wide pod shop/web"],
  ["get po/web --namespace=shop -ojson", "get --output=json pod shop/web"],
  ["get pods/web --context east", "get --context=east pod of-east/web"],
  ["get pod shop/web", "get pod shop/web"],
  ["get policies -A --sort-by subjects", "get --sort-by=subjects policies"],
  ["get -nshop -f a.yaml -f b.yaml", `get --filename=a.yaml --filename=b.yaml ${idle}`],
  [
    "explain --from pod/web --to pod/db@10.0.0.7 -n shop --protocol tcp --port 80 --all",
    "explain --from=shop/web --to=shop/db@10.0.0.7 --protocol=tcp --port=80 --all",
  ],
  [
    "explain --from=other/web --to 192.0.2.7 -o wide",
    "explain --from=other/web --to=192.0.2.7 --output=table",
  ],
  ["can reach --to pod/db -n shop --port 5432", "can --to=shop/db --port=5432 reach"],
  ["can reach --to svc/db --context east", "can --to=of-east/svc/db --context=east reach"],
  ["matrix -n shop -o csv", "matrix --namespace=shop --output=csv"],
  ["matrix -A", "matrix"],
  ["plan -f new/ --prune", "plan --filename=new/ --prune"],
  ["lint --fail-on warning", "lint --fail-on=warning"],
  ["observe -n shop --follow", "observe --nodes=all --namespace=shop --follow"],
  ["observe --nodes node-1 -A", "observe --nodes=node-1"],
  ["observe --socket /run/x", "observe --socket=/run/x"],
  ["ui --listen 127.0.0.1:0", "ui --listen=127.0.0.1:0"],
  ["--help", "--help"],
  ["help", "--help"],
  ["get --help", "get --help"],
])("kubectl northgate %s", async (line, wanted) => {
  expect(await translated(line)).toBe(wanted);
});

test.each(["run --nb unix:x", "cleanup --yes", "render", "apply -f x", "kubectl get"])(
  "%s is refused: a plugin only reads",
  async (line) => {
    await expect(translated(line)).rejects.toThrow(UsageError);
  },
);
