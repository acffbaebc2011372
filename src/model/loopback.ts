// Hosts that only this machine reaches.

/** Of a name or an address, as in HOST:PORT without brackets. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
