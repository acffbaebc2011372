// One review by the API server, of a token or of a right: an object that is created, and answered in its status.

import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOfAnswer } from "../transport/failure.ts";

/** The status of the answer. Throws a Failure. */
export async function review(api: KubeApi, group: string, kind: string, spec: object): Promise<Field> {
  const answer = await api.request({
    method: "POST",
    path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
    body: { apiVersion: `${group}/v1`, kind, spec },
  });
  if (answer.status !== 201 && answer.status !== 200) throw failureOfAnswer(answer);
  return new Field(new Problems(), "", answer.body).at("status");
}
