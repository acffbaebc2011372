// The forms that Kubernetes requires for names and labels (apimachinery's util/validation). Only returns true or false;
// the caller knows the field.

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const qualified = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const kindName = /^[A-Za-z][A-Za-z0-9]*$/;
const portName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** RFC 1123 label: names of namespaces. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** RFC 1123 subdomain: names of pods, nodes and policies. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

/** `name` or `prefix/name`. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  if (slash >= 0 && !isDnsSubdomain(text.slice(0, slash))) return false;
  return name.length <= 63 && qualified.test(name);
}

export function isLabelValue(text: string): boolean {
  return text === "" || (text.length <= 63 && qualified.test(text));
}

/** The name of a kind, as definitions of resources may have it. */
export function isKindName(text: string): boolean {
  return text.length <= 63 && kindName.test(text);
}

/** `v1`, `apps/v1`: a version, behind the name of a group unless it is of the core group. */
export function isApiVersion(text: string): boolean {
  const parts = text.split("/");
  return parts.length <= 2 && parts.slice(0, -1).every(isDnsSubdomain) && isDnsLabel(parts.at(-1) ?? "");
}

/** IANA_SVC_NAME: the form of a container port's name. */
export function isPortName(text: string): boolean {
  return text.length <= 15 && portName.test(text) && /[a-z]/.test(text);
}
