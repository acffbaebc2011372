/** An event on a policy's object: the fields of a core/v1 Event that its words are. */
export interface PolicyEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
