// The way from this tab to a program that was started again: both have a key, and show that without sending it.

export const NO_ANSWER = "The editor's program does not answer. What you type is kept in this browser; start `hexapla translate` again.";
const STARTED_AGAIN = "The editor's program was started again: open the address that it printed then. What you typed is kept in this browser, and offered there.";
let key = null;

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export async function share(digits) {
  const bytes = Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
  key = await crypto.subtle.importKey("raw", bytes, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
}

const code = async (...parts) => hex(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode([location.host, ...parts].join("\n"))));

// Go on at the address of the program that runs now; returns "", or why that cannot be.
export async function reconnect() {
  const challenge = hex(crypto.getRandomValues(new Uint8Array(32)));
  const response = await fetch(`/session?${challenge}`).catch(() => null);
  if (!response) return NO_ANSWER;
  const {nonce, proof} = (response.ok && await response.json().catch(() => null)) || {};
  if (!key || typeof nonce !== "string" || proof !== await code(nonce, "proof", challenge)) return STARTED_AGAIN;
  history.replaceState(null, "", `/${(await code(nonce, "token")).slice(0, 48)}/${location.hash}`);
  return "";
}
