/** Returns the nonce of this page's content security policy, which dynamically created style tags need. */
export function getNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
