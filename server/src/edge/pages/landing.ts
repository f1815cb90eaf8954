import { API_VERSION, DESCRIPTION_VERSION } from '@countersign/contract/core/api-version'
import type { FastifyInstance } from 'fastify'
import { html } from '../../base/formats/html.ts'
import type { App } from '../../kernel/operation/app.ts'
import { getPublicBasePath } from '../../kernel/operation/base-path.ts'
import { POSTMAN_PATH } from './api-files.ts'
import { CONSOLE_PATH } from './console.ts'
import { GUIDES_PATH } from './guides.ts'
import { renderSitePage, SITE_PAGE_POLICY } from './site-page.ts'

/** Describes this server at `/`, as a page for browsers and as JSON for other clients. */
export function addLanding(server: FastifyInstance, app: App): void {
  server.get('/', async (request, reply) => {
    reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache')
    const baseUrl = app.origin() + getPublicBasePath(app.config)
    if (!request.headers.accept?.includes('text/html')) return describeServer(app, baseUrl)
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', SITE_PAGE_POLICY)
      .send(await renderLandingPage(app, baseUrl))
  })
}

function describeServer({ config }: App, baseUrl: string) {
  return {
    name: 'Countersign',
    mode: config.mode,
    apiVersion: API_VERSION,
    descriptionVersion: DESCRIPTION_VERSION,
    baseUrl,
    openapi: `${getPublicBasePath(config)}/openapi.json`,
    reference: '/docs',
    guides: GUIDES_PATH,
    collection: POSTMAN_PATH,
    llms: '/llms.txt',
    console: `${CONSOLE_PATH}/`,
    health: '/healthz',
    ready: '/readyz',
  }
}

const MODES = {
  sandbox:
    'This is a sandbox. Its cryptography, books and webhooks are real, but its money and banks are simulated.',
  production: 'This server runs in production and moves real money.',
} as const

const CREDENTIALS = {
  sandbox: html`On its first start, the server wrote them to <code>credentials.json</code> in its data directory.`,
  production: 'The server operator creates them.',
} as const

function renderLandingPage({ config }: App, baseUrl: string): Promise<string> {
  const { mode } = config
  const body = html`<h1>Countersign</h1>
<p>A payments platform with embedded wallets. ${MODES[mode]}</p>
<dl>
<dt>Mode</dt><dd>${mode}</dd>
<dt>API base URL</dt><dd><code>${baseUrl}</code></dd>
<dt>Credentials</dt><dd>HTTP Basic: <code>tokenId</code> as user name, <code>clientSecret</code> as password. ${CREDENTIALS[mode]}</dd>
</dl>
<ul class="places">
<li><a href="${GUIDES_PATH}/first-payment">Your first payment</a><br><span class="soft">From an empty server to a settled payment.</span></li>
<li><a href="${GUIDES_PATH}">Guides</a><br><span class="soft">Customers, wallets, payments, cards, agents, webhooks, operations.</span></li>
<li><a href="/docs">API reference</a><br><span class="soft">Every call with an example that you can try. OpenAPI document: <a href="${getPublicBasePath(config)}/openapi.json">openapi.json</a>. For Postman and Bruno: <a href="${POSTMAN_PATH}">postman.json</a></span></li>
<li><a href="${CONSOLE_PATH}/">Console</a><br><span class="soft">For your team: customers, payments, approvals, settings.</span></li>
<li><a href="/healthz">Health</a><br><span class="soft">Shows if the server is alive. <a href="/readyz">/readyz</a> shows if it can process requests.</span></li>
</ul>`
  return renderSitePage({ title: `Countersign – ${mode}`, body })
}
