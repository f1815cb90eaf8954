import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApi } from '@countersign/contract/document/openapi'
import type { FastifyInstance } from 'fastify'
import type { App } from '../op/app.ts'
import { BASE_PATH } from '../op/base-path.ts'

const require = createRequire(import.meta.url)

/** The page may load from and send to this server only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document itself: <a href="${BASE_PATH}/openapi.json">openapi.json</a></noscript>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Fits narrow screens, and hides links to the maker of the page's script. */
const STYLE = `
.references-layout code, .references-layout .property { overflow-wrap: anywhere; white-space: normal }
.scalar-toaster { max-width: calc(100vw - 2rem) }
.references-rendered { overflow-x: clip }
a[href*="scalar.com"] { display: none !important }
`

const START = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: `${BASE_PATH}/openapi.json`,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  // The name that a call has in the sdk and in docs/api.md.
  showOperationId: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  theme: 'default',
  customCss: STYLE,
})})
`

/** Serves the OpenAPI document and its reference page, which work without any other server. */
export function addDocs(server: FastifyInstance, app: App): void {
  const { mode, wireWord } = app.config
  let document: string | undefined
  server.get(`${BASE_PATH}/openapi.json`, async (_request, reply) => {
    document ??= JSON.stringify(openApi({ serverUrl: BASE_PATH, mode, wireWord }))
    return reply
      .type('application/json; charset=utf-8')
      .header('Access-Control-Allow-Origin', '*')
      .send(document)
  })
  server.get('/docs', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      .send(PAGE),
  )
  server.get('/docs/start.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START),
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
