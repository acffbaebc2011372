// Addresses and networks as numbers, for the judge of Calico's policies alone: nothing of the product's own reading of them.

export type Family = 4 | 6;

const widths: Readonly<Record<Family, number>> = { 4: 32, 6: 128 };

export function familyOfText(text: string): Family {
  return text.includes(":") ? 6 : 4;
}

/** Whether the address is in the network; a network without a mask is one address, and what it has behind its mask counts for nothing. */
export function isWithin(address: string, network: string): boolean {
  const [base = "", length] = network.split("/");
  const family = familyOfText(base);
  if (familyOfText(address) !== family) return false;
  const behind = BigInt(widths[family] - (length === undefined ? widths[family] : Number(length)));
  return numberOf(address) >> behind === numberOf(base) >> behind;
}

function numberOf(text: string): bigint {
  return familyOfText(text) === 4
    ? text.split(".").reduce((sum, part) => (sum << 8n) + BigInt(part), 0n)
    : groupsOf(text).reduce((sum, part) => (sum << 16n) + BigInt(`0x${part}`), 0n);
}

/** Eight groups of hexadecimal digits. */
function groupsOf(text: string): readonly string[] {
  const [front = "", back] = text.split("::");
  const listed = (part: string) => (part === "" ? [] : part.split(":"));
  if (back === undefined) return listed(front);
  const [before, after] = [listed(front), listed(back)];
  return [...before, ...new Array<string>(8 - before.length - after.length).fill("0"), ...after];
}
