import type { FastifyInstance } from 'fastify'
import { html } from '../../base/formats/html.ts'
import type { App } from '../../kernel/operation/app.ts'
import { BASE_PATH, getPublicBasePath } from '../../kernel/operation/base-path.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Api } from '../reference/api.ts'
import { REFERENCE_PATH } from '../reference/reference-path.ts'
import { createApiFiles, POSTMAN_PATH } from './api-files.ts'
import { listedGuides } from './guides.ts'
import { makeOnce } from './once.ts'
import { pack, sendPacked } from './packed.ts'
import { QUERY_CHARACTERS_MAX, rankEntries, type SearchEntry } from './search.ts'
import { addSiteFiles } from './site-files.ts'
import { renderSitePage, SEARCH_PATH, SITE_PAGE_POLICY, sendPage } from './site-page.ts'

/** The form for sandbox credentials, with which the pages create records for their examples. */
const fillForm = (document: string) => html`<details class="fill">
<summary>Fill “try it”</summary>
<form id="fill" data-document="${document}">
<p>Creates a customer with money, a bank account, a card and a quote in your sandbox, and uses them in the examples. Copy
both values from <code>credentials.json</code>. They stay in this browser tab until you close it.</p>
<label for="fill-id">tokenId</label><input id="fill-id" required autocomplete="off" spellcheck="false">
<label for="fill-secret">clientSecret</label><input id="fill-secret" type="password" required autocomplete="off">
<button>Create records</button>
<output></output>
</form>
</details>`

/** Serves the OpenAPI document, its pages, and the search. */
export function addDocs(server: FastifyInstance, app: App): void {
  const files = createApiFiles(app)
  const document = makeOnce(async () => pack(await files.document(), 'application/json'))
  const collection = makeOnce(async () => pack(await files.collection(), 'application/json'))
  const api = makeOnce(async () => parseApi(await files.document()))
  const getPage = makeOnce(async (name) =>
    pack(await renderReferenceHtml(app, await api(), name), 'text/html'),
  )
  const entries = makeOnce(async () => searchEntries(await api()))
  addSiteFiles(server)
  server.get(`${BASE_PATH}/openapi.json`, async (request, reply) =>
    sendPacked(request, reply.header('Access-Control-Allow-Origin', '*'), await document()),
  )
  server.get(POSTMAN_PATH, async (request, reply) => {
    reply.header('Content-Disposition', 'attachment; filename="countersign.postman.json"')
    return sendPacked(request, reply, await collection())
  })
  server.get('/docs', async (request, reply) => sendPage(request, reply, await getPage('')))
  server.get<{ Params: { name: string } }>(`${REFERENCE_PATH}/:name`, async (request, reply) => {
    const { name } = request.params
    if (!(await api()).pages.has(name)) throw new ApiError('NOT_FOUND')
    return sendPage(request, reply, await getPage(name))
  })
  server.get<{ Querystring: { q?: string | string[] } }>(SEARCH_PATH, async (request, reply) => {
    const query = [request.query.q ?? ''].flat().join(' ').slice(0, QUERY_CHARACTERS_MAX)
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', SITE_PAGE_POLICY)
      .header('Cache-Control', 'no-store')
      .send(await searchPage(rankEntries(await entries(), query), query))
  })
}

/** The modules that render the pages are loaded on first request. */
async function parseApi(document: string): Promise<Api> {
  const { readApi } = await import('../reference/api.ts')
  return readApi(JSON.parse(document))
}

/** Renders the page of a section or operation, or the start page of the reference for an empty name. */
async function renderReferenceHtml(app: App, api: Api, name: string): Promise<string> {
  const { renderOperationPage, listOperationSections } = await import('../reference/operation-page.ts')
  const { renderReferencePage, renderReferenceSide, renderSectionPage } = await import(
    '../reference/section-page.ts'
  )
  const baseUrl = app.origin() + getPublicBasePath(app.config)
  const documentPath = `${getPublicBasePath(app.config)}/openapi.json`
  const { section, entry } = api.pages.get(name) ?? {}
  const common = {
    title: `${entry?.operation.summary ?? section?.title ?? 'API reference'} – Countersign`,
    side: renderReferenceSide(api, section, entry),
    tool: app.config.mode === 'sandbox' && fillForm(documentPath),
    scripts: ['try.js'] as const,
  }
  if (section && entry) {
    const body = renderOperationPage(api, section, entry, baseUrl)
    return renderSitePage({ ...common, body, sections: listOperationSections(entry) })
  }
  if (section) return renderSitePage({ ...common, body: renderSectionPage(section) })
  const links = html`<a href="${documentPath}">openapi.json</a>, <a href="${POSTMAN_PATH}">postman.json</a> for Postman and Bruno`
  return renderSitePage({ ...common, body: renderReferencePage(api, baseUrl, [links]) })
}

/** All operations, guides and sections of guides. */
async function searchEntries({ sections }: Api): Promise<SearchEntry[]> {
  const operations = sections.flatMap(({ title, entries }) =>
    entries.map(({ name, address, method, path, operation }) => ({
      title: operation.summary,
      address,
      place: path === '' ? `Webhook · ${name}` : `${method} ${path}`,
      words: `${name} ${title} ${operation.description ?? ''}`.toLowerCase(),
    })),
  )
  const guides = (await listedGuides()).flatMap(({ title, address, words, sections }) => [
    { title, address, place: 'Guide', words: words.toLowerCase() },
    ...sections.map(({ id, text, words }) => ({
      title: text,
      address: `${address}#${id}`,
      place: `Guide · ${title}`,
      words: words.toLowerCase(),
    })),
  ])
  return [...operations, ...guides]
}

function searchPage(matches: readonly SearchEntry[], query: string): Promise<string> {
  const items = matches.map(
    ({ title, address, place }) =>
      html`<li><a href="${address}">${title}<span class="soft">${place}</span></a></li>`,
  )
  const emptyMessage =
    query.trim() === ''
      ? 'Enter an operation name, a path, or a word from a guide.'
      : `No results for “${query}”.`
  const body = html`<h1>Search</h1>
${items.length > 0 ? html`<ul class="results">${items}</ul>` : html`<p class="results">${emptyMessage}</p>`}`
  return renderSitePage({ title: 'Search – Countersign', body, query })
}
