import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../../base/crypto/constant-time.ts'
import { type Html, html } from '../../../base/formats/html.ts'
import { COUNTRIES } from './countries.ts'
import type { Field } from './fields.ts'

/** The input of a form, by field name. */
export type Typed = ReadonlyMap<string, readonly string[]>

/** A fault in the input: the name of the field, and the message. */
export interface Fault {
  readonly field: string
  readonly message: string
}

/** The content that a form displays. */
export interface FormContent {
  /** The values of the fields, either known values or the previous input. */
  readonly typed: Typed
  /** The masked values of secrets that are already stored. */
  readonly shown: ReadonlyMap<string, string>
  readonly faults: readonly Fault[]
}

/**
 * Creates a token that protects a form against cross-site request forgery: a MAC keyed with the secret in the
 * session's cookie.
 */
export function makeFormToken(secret: string, linkId: string): string {
  return createHmac('sha256', secret).update(`form ${linkId}`).digest('base64url')
}

export function isFormToken(token: string | undefined, expected: string): boolean {
  return isSameSecret(token ?? '', expected)
}

export const FORM_TOKEN = 'formToken'
/** The field for a form's idempotency key, so that a double submission counts once. */
export const FORM_KEY = 'formKey'

/** Renders the hidden fields of a form. */
export function renderHiddenFields(formToken: string, formKey?: string): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${formToken}">${
    formKey !== undefined && html`<input type="hidden" name="${FORM_KEY}" value="${formKey}">`
  }`
}

/** Builds the HTML id of a field's input, to which the summary of faults links. */
export function toInputId(name: string): string {
  return `f-${name.replaceAll('.', '-')}`
}

/** Renders the questions of a form with their values and faults. */
export function renderFields(fields: readonly Field[], filled: FormContent): Html {
  return html`${fields.map((field) => renderField(field, filled))}`
}

function renderField(field: Field, filled: FormContent): Html {
  const { name, label, kind, isOptional } = field
  const fault = findFault(field, filled)
  const hint = findHint(field, filled)
  const id = toInputId(name)
  const describedBy = [hint && `${id}-hint`, fault && `${id}-error`].filter(Boolean).join(' ')
  const notes = html`${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}${
    fault && html`<p class="error" id="${id}-error"><span class="hidden">Error: </span>${fault}</p>`
  }`
  const optional = isOptional && html` <span class="optional">(optional)</span>`
  const attributes = html`${describedBy && html` aria-describedby="${describedBy}"`}${fault && html` aria-invalid="true"`}`
  if (kind === 'choices' || kind === 'countries')
    return html`<fieldset class="field${fault && ' wrong'}" id="${id}" tabindex="-1"${attributes}>
<legend>${label}${optional}</legend>${notes}
${kind === 'choices' ? renderCheckboxes(field, filled) : renderCountrySelects(field, filled)}
</fieldset>`
  return html`<div class="field${fault && ' wrong'}"><label for="${id}">${label}${optional}</label>${notes}
${renderControl(field, filled, attributes)}</div>`
}

function findHint({ name, hint, kind }: Field, { shown }: FormContent): string | undefined {
  const known = shown.get(name)
  if (kind === 'secret' && known) return `We have ${known}. Leave this empty to keep it.`
  return hint
}

/** Finds the message of the fault in a field or in one of its parts. */
export function findFault(
  { name }: Pick<Field, 'name'>,
  { faults }: Pick<FormContent, 'faults'>,
): string | undefined {
  return faults.find(({ field }) => field === name || field.startsWith(`${name}.`))?.message
}

function renderControl(field: Field, { typed }: FormContent, attributes: Html): Html {
  const { name, kind, autocomplete, choices } = field
  const id = toInputId(name)
  const value = typed.get(name)?.[0] ?? ''
  const common = html`id="${id}" name="${name}"${autocomplete && html` autocomplete="${autocomplete}"`}${attributes}`
  switch (kind) {
    case 'country':
      return renderSelect(common, COUNTRIES, value)
    case 'choice':
      return renderSelect(common, choices ?? new Map(), value)
    case 'prose':
      return html`<textarea ${common} rows="5">${value}</textarea>`
    case 'date':
      return html`<input type="date" ${common} value="${value}">`
    case 'whole':
      return html`<input inputmode="numeric" class="short" ${common} value="${value}">`
    case 'secret':
      return html`<input ${common} autocomplete="off" value="${value}">`
    default:
      return html`<input ${common} value="${value}">`
  }
}

/** Renders a drop-down list with the HTML attributes in `common`. */
export function renderSelect(common: Html, choices: ReadonlyMap<string, string>, value: string): Html {
  const isKnown = value === '' || choices.has(value)
  return html`<select ${common}><option value="">Choose one</option>${
    !isKnown && html`<option value="${value}" selected>${value}</option>`
  }${[...choices].map(
    ([key, words]) => html`<option value="${key}"${key === value && html` selected`}>${words}</option>`,
  )}</select>`
}

function renderCheckboxes(
  { name, choices = new Map<string, string>() }: Field,
  { typed }: FormContent,
): Html {
  const chosen = typed.get(name) ?? []
  return html`${[...choices].map(([key, words]) => renderCheckbox(name, key, words, chosen.includes(key)))}`
}

/** Renders a checkbox with its label. */
export function renderCheckbox(name: string, value: string, words: string, isTicked: boolean): Html {
  const id = `${toInputId(name)}-${value}`
  return html`<div class="choice"><input type="checkbox" id="${id}" name="${name}" value="${value}"${
    isTicked && html` checked`
  }><label for="${id}">${words}</label></div>`
}

const EMPTY_COUNTRIES = 2
const COUNTRIES_MIN = 3

/** Renders a drop-down list for each chosen country, and some empty ones for more countries. */
function renderCountrySelects({ name, label }: Field, { typed }: FormContent): Html {
  const values = (typed.get(name) ?? []).filter((value) => value !== '')
  const count = Math.max(COUNTRIES_MIN, values.length + EMPTY_COUNTRIES)
  const selects = Array.from({ length: count }, (_, at) =>
    renderSelect(html`name="${name}" aria-label="${label}, number ${at + 1}"`, COUNTRIES, values[at] ?? ''),
  )
  return html`<div class="several">${selects}</div><p class="hint">Save to add more countries.</p>`
}

/** Renders the summary of faults at the top of a form, each with a link to its field. */
export function renderSummary(
  faults: readonly Fault[],
  fields: readonly Pick<Field, 'name'>[],
): Html | undefined {
  if (faults.length === 0) return undefined
  const lines = faults.map(({ field, message }) => {
    const faultyField = fields.find(({ name }) => field === name || field.startsWith(`${name}.`))
    return faultyField
      ? html`<li><a href="#${toInputId(faultyField.name)}">${message}</a></li>`
      : html`<li>${message}</li>`
  })
  return html`<div class="summary" role="alert" tabindex="-1" autofocus aria-labelledby="summary-title">
<h2 id="summary-title">There is a problem</h2><ul>${lines}</ul></div>`
}
