import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseEvents, parseExamples, type RecordedExamples } from '@countersign/contract/document/examples'
import type { FastifyInstance } from 'fastify'
import { Html, html } from '../../base/formats/html.ts'
import type { App } from '../../kernel/operation/app.ts'
import { BASE_PATH, shownBasePath } from '../../kernel/operation/base-path.ts'
import { docsFile } from './docs-folder.ts'
import { once } from './once.ts'

const require = createRequire(import.meta.url)

export const POSTMAN_PATH = '/docs/postman.json'

/** The page may load from and send to this server only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Asks for the credentials of a sandbox, so that the page can make records for its examples. */
const FILL = html`<details class="fill">
<summary>Fill “try it”</summary>
<form id="fill">
<p>Makes a customer with money, a bank account, a card and a quote in your sandbox, and has the examples name them. Take
both values from <code>credentials.json</code>; they stay in this page.</p>
<label for="fill-id">tokenId</label><input id="fill-id" name="tokenId" required autocomplete="off" spellcheck="false">
<label for="fill-secret">clientSecret</label><input id="fill-secret" name="clientSecret" type="password" required autocomplete="off">
<button>Make records</button>
<output></output>
</form>
</details>`

function referencePage(config: App['config'], style: string): string {
  const base = shownBasePath(config)
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API reference</title>
<link rel="icon" href="data:,">
<style id="reference-style">${new Html(style)}</style>
</head>
<body>
<header class="bar"><nav aria-label="Pages"><a href="/">Countersign</a><a href="/docs/guides">Guides</a></nav>${config.mode === 'sandbox' && FILL}</header>
<div id="reference" data-base="${base}"></div>
<noscript>This page needs JavaScript. The document itself: <a href="${base}/openapi.json">openapi.json</a></noscript>
<script src="/docs/reference.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`.text
}

/** Serves the OpenAPI document and its reference page, which work without any other server. */
export function addDocs(server: FastifyInstance, app: App): void {
  const document = once(() => documentOf(app))
  const collection = once(() => collectionOf(app))
  server.get(`${BASE_PATH}/openapi.json`, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('Access-Control-Allow-Origin', '*')
      .send(await document()),
  )
  server.get(POSTMAN_PATH, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="countersign.postman.json"')
      .send(await collection()),
  )
  server.get('/docs', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      .send(referencePage(app.config, await docsFile('reference/page.css'))),
  )
  server.get('/docs/page.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(await docsFile('reference/page.js')),
  )
  let script: Promise<Buffer> | undefined
  server.get('/docs/reference.js', async (_request, reply) => {
    script ??= readFile(join(dirname(require.resolve('@scalar/fastify-api-reference')), 'js/standalone.js'))
    return reply
      .type('text/javascript; charset=utf-8')
      .header('Cache-Control', 'max-age=3600')
      .send(await script)
  })
}

/** Made at the first request. */
async function documentOf(app: App): Promise<string> {
  const { mode, wireWord } = app.config
  const examples = await examplesOf(app)
  const { openApi } = await import('@countersign/contract/document/openapi')
  const serverUrl = shownBasePath(app.config)
  return JSON.stringify(openApi({ serverUrl, mode, wireWord, ...(examples ? { examples } : {}) }))
}

/** The address of the collection is this server's, because a client that imports it has no page around it. */
async function collectionOf(app: App): Promise<string> {
  const { mode, wireWord } = app.config
  const examples = (await examplesOf(app)) ?? { records: {}, calls: {} }
  const { postmanCollection } = await import('@countersign/contract/document/postman')
  const serverUrl = app.origin() + shownBasePath(app.config)
  return JSON.stringify(postmanCollection({ serverUrl, mode, wireWord, examples }))
}

/** Undefined without the folder `docs`. */
async function examplesOf({ config, log }: App): Promise<RecordedExamples | undefined> {
  const read = async (name: string) => {
    const text = await docsFile(name)
    return config.mode === 'production' ? asInProduction(text) : text
  }
  try {
    const events = parseEvents(await read('reference/events.jsonl'))
    return { ...parseExamples(await read('reference/examples.jsonl')), events }
  } catch (err) {
    log.warn({ err }, 'the OpenAPI document has no examples')
    return undefined
  }
}

/** Examples are recorded in a sandbox, which shows cards itself; in production the card processor does. */
function asInProduction(examples: string): string {
  return examples.replaceAll(/http:[^",]*\/sandbox\/cards\//g, 'https://cards.example/')
}
