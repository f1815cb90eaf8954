import { type Html, html } from '../../base/formats/html.ts'
import type { Entry } from './api.ts'
import type { ApiDocument, Parameter } from './api-document.ts'
import { fieldsOf } from './calls.ts'
import { type Field, type Shape, shapeOf } from './fields.ts'

/**
 * A form for a call that the page's script sends. Controls have no names, so that without the script the
 * browser sends nothing, above all not the secret.
 */
export function tryForm(document: ApiDocument, entry: Entry, parameters: readonly Parameter[]): Html {
  const { method, path, operation } = entry
  const base = document.servers[0]?.url ?? ''
  const shown = parameters.filter(({ name }) => name !== 'Origin')
  return html`<form id="try" class="try" data-method="${method}" data-address="${base}${path}" novalidate>
<h2 id="try-it">Try it</h2>
<noscript><p>Sending a request needs JavaScript.</p></noscript>
${credentials(operation.security.flatMap((scheme) => Object.keys(scheme)))}
${
  shown.length > 0 &&
  html`<fieldset><legend>Parameters</legend>${shown.map((parameter, index) => parameterControl(document, parameter, index))}</fieldset>`
}
${body(document, entry)}
<button>Send</button>
<div id="response" role="status"></div>
</form>`
}

function credentials(schemes: readonly string[]): Html | false {
  if (schemes.includes('BasicAuth'))
    return html`<fieldset><legend>Credentials</legend><div><label for="try-id">tokenId</label><input id="try-id" autocomplete="off" spellcheck="false" placeholder="Token:…"></div>
<div><label for="try-secret">clientSecret</label><input id="try-secret" type="password" autocomplete="off"></div></fieldset>`
  if (schemes.includes('AgentBearer') || schemes.includes('CustomerBearer'))
    return html`<fieldset><legend>Credentials</legend><div><label for="try-token">Access token</label><input id="try-token" type="password" autocomplete="off"></div></fieldset>`
  return (
    schemes.includes('MemberCookie') &&
    html`<p class="soft" data-cookie>The request carries the cookie of the console. <a href="/console/">Sign in</a> first.</p>`
  )
}

function parameterControl(document: ApiDocument, parameter: Parameter, index: number): Html {
  const { name, in: place, required = false, example } = parameter
  const shape = shapeOf(document, parameter.schema)
  const isList = shape.type.startsWith('array')
  const isKey = name === 'Idempotency-Key'
  const value = example === undefined || isKey ? '' : String(example)
  const id = `try-parameter-${index}`
  const marks = html`id="${id}" data-name="${name}" data-in="${place}"${isList && html` data-list`}${isKey && required && html` data-random`}`
  return html`<div><label for="${id}"><code>${name}</code>${required && html` <span class="required">required</span>`}</label>${control({ ...shape, marks, value, isList })}</div>`
}

function control({
  marks,
  value,
  isList,
  values,
  type,
}: Shape & { marks: Html; value: string; isList: boolean }): Html {
  const words = type === 'boolean' ? ['true', 'false'] : values
  if (words.length === 0 || isList)
    return html`<input ${marks} value="${value}" autocomplete="off" spellcheck="false"${isList && html` placeholder="values, separated by commas"`}>`
  const options = ['', ...words].map(
    (word) => html`<option${word === value && html` selected`}>${word}</option>`,
  )
  return html`<select ${marks}>${options}</select>`
}

/** Longer inputs scroll. */
const ROWS_MAX = 20

function body(document: ApiDocument, { operation }: Entry): Html | false {
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {}
  if (form?.schema) {
    const examples = new Map(fieldsOf(form.example))
    const fields = shapeOf(document, form.schema).fields.map((field, index) =>
      formControl(field, index, examples.get(field.name) ?? ''),
    )
    return html`<fieldset id="try-form"><legend>Form</legend>${fields}</fieldset>`
  }
  if (!json) return false
  const text = json.example === undefined ? '{}' : JSON.stringify(json.example, null, 2)
  const rows = Math.min(text.split('\n').length + 1, ROWS_MAX)
  return html`<label for="try-body">Body</label><textarea id="try-body" rows="${rows}" spellcheck="false">${text}</textarea>`
}

function formControl(field: Field, index: number, value: string): Html {
  const id = `try-field-${index}`
  const marks = html`id="${id}" data-field="${field.name}"`
  const input =
    field.name === 'file'
      ? html`<input ${marks} type="file">`
      : control({ ...field, marks, value, isList: false })
  return html`<div><label for="${id}"><code>${field.name}</code>${field.isRequired && html` <span class="required">required</span>`}</label>${input}</div>`
}
