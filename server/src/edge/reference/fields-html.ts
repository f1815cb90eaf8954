import { type Html, html } from '../../base/formats/html.ts'
import type { Field, Shape, Variant } from './fields.ts'
import { joinHtml, renderInline } from './prose.ts'

/** Renders a body or a part of it: its notes, then its fields and variants. */
export function shapeHtml(shape: Shape): Html {
  const { fields, variants, type } = shape
  if (fields.length + variants.length === 0)
    return html`<p><span class="type">${type}</span> ${renderInline(shape.description)}</p>${renderNotes(shape)}`
  return html`${renderNotes(shape)}${renderInnerFields(shape)}`
}

/** Renders a field in a list: its line and description, and its inner fields, collapsed. */
export function renderSchemaField(field: Field, place?: string): Html {
  const { name, type, isRequired, description, fields, variants } = field
  const count = variants.length > 0 ? `${variants.length} variants` : `${fields.length} fields`
  const inside =
    fields.length + variants.length > 0 &&
    html`<details><summary>${count}<span class="hidden"> of ${name}</span></summary>${renderInnerFields(field)}</details>`
  return html`<li><p class="line"><code>${name}</code> <span class="type">${type}</span>${
    place && html` <span class="soft">${place}</span>`
  }${isRequired && html` <span class="required">required</span>`}</p>${
    description !== '' && html`<p>${renderInline(description)}</p>`
  }${renderNotes(field)}${inside}</li>`
}

function renderInnerFields({ fields, variants }: Shape): Html {
  const list =
    fields.length > 0 && html`<ul class="fields">${fields.map((inner) => renderSchemaField(inner))}</ul>`
  return html`${list}${variants.map(renderVariant)}`
}

function renderVariant(variant: Variant): Html {
  return html`<details class="variant"><summary><code>${variant.title}</code></summary>${
    variant.description !== '' && html`<p>${renderInline(variant.description)}</p>`
  }${renderInnerFields(variant)}</details>`
}

/** Longer lists of values are collapsed. */
const VALUES_SHOWN = 12

function renderNotes({ limits, pattern, values }: Shape): Html {
  const shownPattern = pattern !== undefined && html`matches <code>${pattern}</code>`
  const all = [...limits.map((limit) => html`${limit}`), ...(shownPattern ? [shownPattern] : [])]
  const valueList = joinHtml(
    values.map((value) => html`<code>${value}</code>`),
    ' ',
  )
  const shown =
    values.length > VALUES_SHOWN
      ? html`<details><summary>${values.length} values</summary><p class="values">${valueList}</p></details>`
      : values.length > 0 &&
        html`<p class="values"><span class="soft">${values.length > 1 ? 'One of' : 'Always'}</span> ${valueList}</p>`
  return html`${all.length > 0 && html`<p class="soft">${joinHtml(all, ' · ')}</p>`}${shown}`
}
