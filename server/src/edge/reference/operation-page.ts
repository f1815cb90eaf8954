import { ERROR_PAGE } from '@countersign/contract/core/errors'
import { type Html, html } from '../../base/formats/html.ts'
import { type Api, type Entry, resolveParameters, type Section } from './api.ts'
import type { ApiDocument, Content, Operation, Parameter, Response } from './api-document.ts'
import { buildCurl } from './calls.ts'
import { renderCodeBlock, renderJsonBlock } from './code-block.ts'
import { describeSchema } from './fields.ts'
import { renderSchemaField, shapeHtml } from './fields-html.ts'
import { joinHtml, renderErrorRow, renderInline, renderProse } from './prose.ts'
import { renderEntryPager, renderMethodLabel } from './section-page.ts'
import { tryForm } from './try-form.ts'

/** Renders the page of an operation. `baseUrl` is the full base URL, for calls from elsewhere. */
export function renderOperationPage(api: Api, section: Section, entry: Entry, baseUrl: string): Html {
  const { document } = api
  const { operation, path, method, name } = entry
  const isWebhook = path === ''
  const parameters = resolveParameters(document, operation)
  const stability =
    operation['x-stability'] === 'experimental' &&
    html`<p class="note">Experimental: may change without notice.</p>`
  return html`<p class="soft"><a href="/docs">API reference</a> / <a href="${section.address}">${section.title}</a></p>
<h1 id="${name}">${operation.summary}</h1>
<p class="call">${renderMethodLabel(method)} <code>${isWebhook ? 'your webhook endpoint' : path}</code></p>
<p class="soft">Operation <code>${name}</code></p>
${stability}${renderProse(operation.description)}${renderSecurity(document, operation)}
${!isWebhook && renderSamples(entry, parameters, baseUrl)}
${renderParameters(document, parameters)}
${renderRequestBody(document, operation)}
${!isWebhook && tryForm(document, entry, parameters)}
<h2 id="responses">Responses</h2>
${Object.entries(operation.responses).map(([status, response]) => renderResponse(document, status, response))}
${renderEntryPager(api, entry)}`
}

/** The headings of the page, for the table of contents. */
export function listOperationSections({ operation, path }: Entry): { id: string; text: string }[] {
  const isWebhook = path === ''
  const rows: [boolean, string, string][] = [
    [!isWebhook, 'examples', 'Examples'],
    [(operation.parameters ?? []).length > 0, 'parameters', 'Parameters'],
    [operation.requestBody !== undefined, 'body', 'Request body'],
    [!isWebhook, 'try-it', 'Try it'],
    [true, 'responses', 'Responses'],
  ]
  return rows.flatMap(([isShown, id, text]) => (isShown ? [{ id, text }] : []))
}

function renderSecurity({ components }: ApiDocument, { security }: Operation): Html | false {
  const schemes = security.flatMap((scheme) => Object.keys(scheme))
  const items = schemes.map(
    (scheme) =>
      html`<li><code>${scheme}</code>: ${renderInline(components.securitySchemes[scheme]?.description ?? '')}</li>`,
  )
  return items.length > 0 && html`<details><summary>Credentials</summary><ul>${items}</ul></details>`
}

function renderSamples(entry: Entry, parameters: readonly Parameter[], baseUrl: string): Html {
  const sdk = (entry.operation['x-codeSamples'] ?? []).map(
    ({ label, source }) => html`<h3>${label}</h3>${renderCodeBlock(source, 'ts')}`,
  )
  return html`<h2 id="examples">Examples</h2><h3>curl</h3>${renderCodeBlock(buildCurl(entry, parameters, baseUrl), 'sh')}${sdk}`
}

function renderParameters(document: ApiDocument, parameters: readonly Parameter[]): Html | false {
  const fields = parameters.map((parameter) => {
    const shape = describeSchema(document, parameter.schema)
    const description = parameter.description ?? shape.description
    const isRequired = parameter.required ?? false
    return renderSchemaField(
      { ...shape, description, isRequired, name: parameter.name },
      `in ${parameter.in}`,
    )
  })
  return fields.length > 0 && html`<h2 id="parameters">Parameters</h2><ul class="fields">${fields}</ul>`
}

function renderRequestBody(document: ApiDocument, { requestBody }: Operation): Html | false {
  if (!requestBody) return false
  const contents = Object.entries(requestBody.content).map(
    ([type, content]) =>
      html`<p class="soft"><code>${type}</code>${!requestBody.required && ', optional'}</p>${renderContent(document, content, false)}`,
  )
  return html`<h2 id="body">Request body</h2>${renderProse(requestBody.description)}${contents}`
}

function renderResponse(document: ApiDocument, status: string, response: Response): Html {
  const { description, content = {}, headers = {} } = response
  if (Number(status) >= 400)
    return html`<h3>${status}</h3><div class="table" tabindex="0"><table><tbody>${description
      .split('\n\n')
      .map((text) => renderErrorRow(text, ERROR_PAGE))}</tbody></table></div>`
  const contents = Object.entries(content).map(
    ([type, typeContent]) =>
      html`<p class="soft"><code>${type}</code></p>${renderContent(document, typeContent, true)}`,
  )
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`)
  return html`<h3>${status}</h3>${renderProse(description)}${contents}${
    names.length > 0 && html`<p class="soft">Headers: ${joinHtml(names, ', ')}</p>`
  }`
}

/** Renders the recorded examples of a body, then its fields. */
function renderContent(document: ApiDocument, content: Content, isResponse: boolean): Html {
  const { schema, example, examples = {} } = content
  const recorded = Object.entries(examples).map(([name, { value }]) => [name, value] as const)
  const shown = example === undefined ? recorded : [['example', example] as const, ...recorded]
  const blocks = shown.map(([name, value]) => {
    const block = typeof value === 'string' ? renderCodeBlock(value) : renderJsonBlock(value)
    return shown.length > 1
      ? html`<details class="variant"><summary><code>${name}</code></summary>${block}</details>`
      : block
  })
  const shape = schema && shapeHtml(describeSchema(document, schema))
  const fields =
    isResponse && shape ? html`<details><summary>Fields</summary>${shape}</details>` : (shape ?? false)
  return html`${blocks}${fields}`
}
