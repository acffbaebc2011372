// The forms of a matrix: what each quotes, that pictures and pages need nothing else, and that colours are not all that tells cells
// apart.

import { describe, expect, test } from "@jest/globals";
import { matrixCsv, matrixDot } from "./forms.ts";
import { matrixHtml, matrixSvg } from "./pictures.ts";
import type { MatrixReport } from "./report.ts";
import { matrixText } from "./text.ts";

const hostile = '=<script>alert("x")</script>,&\u001b[31m\u202e';
const report: MatrixReport = {
  schema: "northgate.matrix/1",
  question: { namespace: null, protocol: null, port: null },
  places: [
    { name: "shop", pods: 2 },
    { name: hostile, pods: 1 },
  ],
  cells: [
    { from: "shop", to: "shop", reach: "all", traffic: { all: [{ protocol: "tcp", ports: [[1, 65_535]] }] } },
    {
      ...{ from: "shop", to: hostile, reach: "some" },
      traffic: {
        all: [
          {
            protocol: "tcp",
            ports: [
              [80, 80],
              [443, 443],
            ],
          },
        ],
        unknown: [{ protocol: "udp", ports: [[53, 53]] }],
      },
    },
    { from: hostile, to: "shop", reach: "none", traffic: { none: [{ protocol: "icmp" }] } },
  ],
  caveats: [{ code: "KindNotListed", text: hostile }],
};
const change: MatrixReport = {
  ...report,
  against: "old/",
  changes: [
    {
      ...{ from: "shop", to: "shop", old: null },
      new: { reach: "all", traffic: { all: [{ protocol: "icmp" }] } },
    },
  ],
};

test("CSV quotes, and a spreadsheet takes nothing for a formula", () => {
  expect(matrixCsv(report).split("\r\n").slice(0, 2)).toEqual([
    "from,to,reach,all,some,none,unknown",
    "shop,shop,all,tcp,,,",
  ]);
  expect(matrixCsv(report)).toContain(`shop,"'=<script>alert(""x"")</script>,&`);
  expect(matrixCsv(report)).toContain(',some,"tcp 80,443",,,udp 53\r\n');
  expect(matrixCsv(change)).toBe(
    "from,to,change,traffic\r\nshop,shop,no connection → all,no connection → all: icmp\r\n",
  );
});

test("DOT has an edge for what may pass, and none for what may not", () => {
  const dot = matrixDot(report);
  expect(dot).toContain('"shop" -> "shop" [label="all", tooltip="all: tcp", style=solid];');
  expect(dot).toContain('alert(\\"x\\")');
  expect(dot.match(/ -> /g)).toHaveLength(2);
  expect(matrixDot(change)).toContain('label="no connection → all"');
});

describe.each([
  ["SVG", matrixSvg],
  ["HTML", matrixHtml],
])("%s", (_, form) => {
  const page = form(report);
  test("escapes, and holds no control characters", () => {
    expect(page).not.toContain("<script");
    expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;,&amp;");
    for (const character of ["\u001b", "\u202e"]) expect(page).not.toContain(character);
  });

  test("needs nothing else: no address, no script, no style from elsewhere", () => {
    expect(page.replace("http://www.w3.org/2000/svg", "")).not.toMatch(
      /https?:|src=|href=|@import|url\(|\son\w+=/,
    );
  });

  test("says each cell by a sign and in words", () => {
    for (const text of ["●", "◐", "○", "all: tcp 80,443; unknown: udp 53", "none: icmp"])
      expect(page).toContain(text);
  });

  test("of a difference has both sides", () => {
    expect(form(change)).toContain("no connection → all: icmp");
    expect(form({ ...change, changes: [] })).toContain("changes since old/");
  });
});

test("tags of the page and the picture are closed", () => {
  for (const page of [matrixHtml(report), matrixSvg(report)]) {
    const open: string[] = [];
    for (const [, slash, name = "", self] of page.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
      if (slash === "/") expect(open.pop()).toBe(name);
      else if (self !== "/" && name !== "meta") open.push(name);
    }
    expect(open).toEqual([]);
  }
});

test("the table is harmless for a terminal, and has numbers where names would be too wide", () => {
  for (const character of ["\u001b", "\u202e"]) expect(matrixText(report)).not.toContain(character);
  const names = Array.from({ length: 9 }, (_, at) => `n${at}`);
  const wide: MatrixReport = {
    ...report,
    places: names.map((name) => ({ name, pods: 1 })),
    cells: names.map((name) => ({ from: "n0", to: name, reach: "unknown" as const, traffic: {} })),
  };
  expect(matrixText(wide)).toContain("\n 1 n0      ?  ?  ?  ?  ?  ?  ?  ?  ?\n");
  expect(matrixText(wide)).toContain("\n 9 is n8\n");
  expect(matrixText({ ...change, changes: [] })).toContain("no cell differs");
});

test("without a cell there is no grid", () => {
  expect(matrixText({ ...report, places: [], cells: [], caveats: [] }).split("\n")).toEqual([
    "namespaces against each other, any protocol",
    "",
    "no pod with an address is among the objects",
    "",
  ]);
});
