import { programKinds } from "./kinds/program.ts";
import { databaseKinds } from "./kinds/database.ts";
import { writerKinds } from "./kinds/writers.ts";
import { run } from "./run.ts";
const all=[...programKinds,...databaseKinds,...writerKinds];
const [only="",count="2"]=process.argv.slice(2);
for (const kind of all) if (`${kind.group}: ${kind.name}`.includes(only)) console.log(JSON.stringify(await run(kind, Number(count), (l)=>console.error(l)),null,1));
