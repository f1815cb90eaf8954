import { createHash } from 'node:crypto'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:4rem auto;max-width:26rem;padding:0 1rem;color:#1a1a1a}
h1{font-size:1.4rem}label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}
input,button{padding:.6rem;margin:.4rem 0 1rem;border:1px solid #767676;border-radius:.4rem}
input{letter-spacing:.1em;text-transform:uppercase}button{background:#1a1a1a;color:#fff;cursor:pointer}
.error{color:#a30000}.place{overflow-wrap:anywhere}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The content of the device code form. */
export interface SignInForm {
  /** The name that the client gave itself. */
  readonly clientName: string
  /** The address to which the person is redirected afterwards. */
  readonly redirectUri: string
  /** The parameters of the authorization request, which the form submits again. */
  readonly parameters: URLSearchParams
  /** Why the previous attempt failed. */
  readonly error?: string
}

/** The page on which a person enters an agent's device code, so that the client can act as that agent. */
export function renderSignInPage(form: SignInForm, status = 200): Response {
  const { clientName, redirectUri, parameters, error } = form
  const hidden = [...parameters]
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  const program = clientName === '' ? 'A program' : `A program that calls itself “${escapeHtml(clientName)}”`
  return renderPage(
    'Connect an assistant',
    `<p>${program} wants to act as one of your agents: to see its customer's accounts and to request payments, within its policy.
You return to <strong class="place">${escapeHtml(formatRedirectTarget(redirectUri))}</strong>.</p>
${error === undefined ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>`}
<form method="post" action="/authorize">${hidden}
<label for="device_code">Device code of the agent</label>
<input id="device_code" name="device_code" required maxlength="20" autocomplete="off" autofocus placeholder="XXX-XXX-XXX">
<button>Connect</button></form>
<p>Your payments platform gives you the code. It is valid once, for 15 minutes. Close this page if you did not start the connection yourself.</p>`,
    status,
    getFormActionSource(redirectUri),
  )
}

/** The error page for requests without a trusted redirect URI. */
export function renderErrorPage(message: string): Response {
  return renderPage('This link does not work', `<p>${escapeHtml(message)}</p>`, 400)
}

function renderPage(title: string, content: string, status: number, target = ''): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${content}</main></html>`
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self' ${target}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // With `no-referrer`, a browser would submit the form with `Origin: null`.
      'Referrer-Policy': 'same-origin',
    },
  })
}

/** The host of a URI, or its scheme if it opens a program on the person's own device. */
function formatRedirectTarget(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol
}

/**
 * The `form-action` source that allows the redirect after the form. CSP cannot express an IPv6 host, so the
 * scheme is used instead.
 */
function getFormActionSource(uri: string): string {
  const { protocol, origin, host } = new URL(uri)
  return /^https?:$/.test(protocol) && !host.startsWith('[') ? origin : protocol
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
