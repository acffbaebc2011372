// `northgate doctor`: checks one installation end to end, one line a check. Only reads.

import type { Command } from "commander";
import { backendNamed } from "../backends.ts";
import type { DoctorConfig } from "../config/answers/doctor.ts";
import { readDoctorConfig } from "../config/answers/doctor.ts";
import { UsageError } from "../config/values.ts";
import { installed } from "../dialects.ts";
import { exitCodeOf, reportOf } from "../doctor/report.ts";
import { version } from "../version.ts";
import { declareFlags, precedence } from "./flags.ts";
import { showsColours } from "./print/colours.ts";
import { formatData } from "./print/data.ts";
import { formatDoctor } from "./print/doctor-table.ts";
import { widthOf } from "./print/width.ts";

export function addDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .summary("check an installation end to end, with a remedy for each fault")
    .description(
      "Checks what a `run` with the same flags needs and does: the API server, its clock, the kinds of policy that it serves, " +
        "the rights, the conditions on policies; with --nb the Northbound database, its zone, the instance that writes, rows of " +
        "other programs, the ports of pods and the chassis; with --metrics-url what an instance says of itself. Each check has " +
        "one line: ok, FAIL with a remedy, unknown where it could not be checked, or skipped. It writes nothing.",
    );
  const given = declareFlags(command, "doctor");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Give it the flags of the run that it is about: they say which kinds, rights and rows are meant.\n" +
        "Exit codes: 0 all that was checked is well, 1 something failed, 2 wrong usage, 3 nothing failed and something could " +
        "not be checked.\n\n" +
        "Examples:\n" +
        "  northgate doctor\n" +
        "  northgate doctor --service-account northgate-system/northgate   # the rights of the pods, not yours\n" +
        "  northgate doctor --nb tcp:127.0.0.1:6641 --zone worker-1 --metrics-url http://127.0.0.1:9476\n" +
        "  northgate doctor --enable-network-policy=true -o json\n",
    )
    .action(async () => {
      process.exitCode = await doctor(readDoctorConfig(given()));
    });
}

async function doctor(config: DoctorConfig): Promise<number> {
  if (installed(config.kinds).policies.length === 0)
    throw new UsageError(
      "--enable-admin-network-policy=false: a run with these flags follows no kind of policy",
    );
  if (backendNamed(config.backend).needsZone && config.zone === null)
    throw new UsageError(`--zone is needed with --backend ${config.backend}: the name of the node`);
  const { examineInstallation } = await import("../wiring/doctor.ts");
  const report = reportOf(await examineInstallation(config), version());
  process.stdout.write(
    config.output === "table"
      ? formatDoctor(report, widthOf(process.stdout), showsColours())
      : formatData(report, config.output),
  );
  return exitCodeOf(report);
}
