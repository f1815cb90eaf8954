import { type Html, html } from '../../base/formats/html.ts'
import type { Entry } from './api.ts'
import type { ApiDocument, Parameter } from './api-document.ts'
import { listFormFields } from './calls.ts'
import { describeSchema, type Field, type Shape } from './fields.ts'

/**
 * Renders a form for a call that the page's script sends. Controls have no names, so that the browser does
 * not submit the secret without the script.
 */
export function tryForm(document: ApiDocument, entry: Entry, parameters: readonly Parameter[]): Html {
  const { method, path, operation } = entry
  const base = document.servers[0]?.url ?? ''
  const shown = parameters.filter(({ name }) => name !== 'Origin')
  return html`<form id="try" class="try" data-method="${method}" data-address="${base}${path}" novalidate>
<h2 id="try-it">Try it</h2>
<noscript><p>Sending a request requires JavaScript.</p></noscript>
${renderCredentials(operation.security.flatMap((scheme) => Object.keys(scheme)))}
${
  shown.length > 0 &&
  html`<fieldset><legend>Parameters</legend>${shown.map((parameter, index) => renderParameterControl(document, parameter, index))}</fieldset>`
}
${renderBody(document, entry)}
<button>Send</button>
<div id="response" role="status"></div>
</form>`
}

function renderCredentials(schemes: readonly string[]): Html | false {
  if (schemes.includes('BasicAuth'))
    return html`<fieldset><legend>Credentials</legend><div><label for="try-id">tokenId</label><input id="try-id" autocomplete="off" spellcheck="false" placeholder="Token:…"></div>
<div><label for="try-secret">clientSecret</label><input id="try-secret" type="password" autocomplete="off"></div></fieldset>`
  if (schemes.includes('AgentBearer') || schemes.includes('CustomerBearer'))
    return html`<fieldset><legend>Credentials</legend><div><label for="try-token">Access token</label><input id="try-token" type="password" autocomplete="off"></div></fieldset>`
  return (
    schemes.includes('MemberCookie') &&
    html`<p class="soft" data-cookie>The request uses the console's cookie. <a href="/console/">Sign in</a> first.</p>`
  )
}

function renderParameterControl(document: ApiDocument, parameter: Parameter, index: number): Html {
  const { name, in: place, required = false, example } = parameter
  const shape = describeSchema(document, parameter.schema)
  const isList = shape.type.startsWith('array')
  const isKey = name === 'Idempotency-Key'
  const value = example === undefined || isKey ? '' : String(example)
  const id = `try-parameter-${index}`
  const marks = html`id="${id}" data-name="${name}" data-in="${place}"${isList && html` data-list`}${isKey && required && html` data-random`}`
  return html`<div><label for="${id}"><code>${name}</code>${required && html` <span class="required">required</span>`}</label>${renderControl({ ...shape, marks, value, isList })}</div>`
}

function renderControl({
  marks,
  value,
  isList,
  values,
  type,
}: Shape & { marks: Html; value: string; isList: boolean }): Html {
  const choices = type === 'boolean' ? ['true', 'false'] : values
  if (choices.length === 0 || isList)
    return html`<input ${marks} value="${value}" autocomplete="off" spellcheck="false"${isList && html` placeholder="comma-separated values"`}>`
  const options = ['', ...choices].map(
    (choice) => html`<option${choice === value && html` selected`}>${choice}</option>`,
  )
  return html`<select ${marks}>${options}</select>`
}

/** The maximum height of the body input. Longer bodies scroll. */
const ROWS_MAX = 20

function renderBody(document: ApiDocument, { operation }: Entry): Html | false {
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {}
  if (form?.schema) {
    const examples = new Map(listFormFields(form.example))
    const fields = describeSchema(document, form.schema).fields.map((field, index) =>
      renderFormControl(field, index, examples.get(field.name) ?? ''),
    )
    return html`<fieldset id="try-form"><legend>Form</legend>${fields}</fieldset>`
  }
  if (!json) return false
  const text = json.example === undefined ? '{}' : JSON.stringify(json.example, null, 2)
  const rows = Math.min(text.split('\n').length + 1, ROWS_MAX)
  return html`<label for="try-body">Body</label><textarea id="try-body" rows="${rows}" spellcheck="false">${text}</textarea>`
}

function renderFormControl(field: Field, index: number, value: string): Html {
  const id = `try-field-${index}`
  const marks = html`id="${id}" data-field="${field.name}"`
  const input =
    field.name === 'file'
      ? html`<input ${marks} type="file">`
      : renderControl({ ...field, marks, value, isList: false })
  return html`<div><label for="${id}"><code>${field.name}</code>${field.isRequired && html` <span class="required">required</span>`}</label>${input}</div>`
}
