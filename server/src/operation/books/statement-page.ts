import { CURRENCIES } from '@countersign/contract/core/currencies'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { Html, html } from '../../base/formats/html.ts'
import { describeParty } from './parties.ts'
import { STYLE, STYLE_HASH } from './statement-style.ts'
import { KIND_WORDS } from './statement-words.ts'
import type { Hold, Line, Statement } from './statements.ts'

/** The page loads nothing and runs no scripts. The policy allows only its inline style. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

const ROWS_AT_ONCE = 200

/** Renders a statement as a page for reading and printing. */
export function* writeStatementPage(statement: Statement): Generator<string> {
  const { lines, holds } = statement
  const figure = createAmountFormatter(statement)
  yield renderHead(statement, figure).text
  for (let at = 0; at < lines.length; at += ROWS_AT_ONCE)
    for (const line of lines.slice(at, at + ROWS_AT_ONCE)) yield renderMovement(line, figure).text
  yield renderClosingRows(statement, figure).text
  if (holds.length > 0) {
    yield holdsHead(statement, figure).text
    for (const hold of holds) yield holdRow(hold, figure).text
    yield '</tbody></table>\n'
  }
  yield renderFoot(statement).text
}

type FormatAmount = (amount: bigint) => string

/** Formats an amount with grouped digits, such as 1,234,567.89. */
function createAmountFormatter({ account: { currency } }: Statement): FormatAmount {
  const { decimals } = CURRENCIES[currency]
  return (amount) => {
    const [whole = '', places] = formatDecimal(amount, decimals).split('.')
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
    const text = places === undefined ? grouped : `${grouped}.${places}`
    return text.replace('-', '−')
  }
}

/** A time in UTC, such as `2025-10-13 09:30`. */
function formatMinute(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ')
}

function renderHead(statement: Statement, figure: FormatAmount): Html {
  const { account, ownerName, from, to, opening, closing: end, credits, debits, fees } = statement
  const { name } = CURRENCIES[account.currency]
  const renderFact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title>Statement ${account.currency} – ${ownerName}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>Statement of account</h1>
<p><strong>${ownerName}</strong><br>${name} (${account.currency}) <span class="soft">${account.id}</span></p>
<p>From ${formatMinute(from)} to ${formatMinute(to)} UTC</p>
<dl>${renderFact('Opening balance', figure(opening))}${renderFact('Added', figure(credits))}${renderFact('Deducted', figure(-debits))}${renderFact('Included fees', figure(-fees))}${renderFact('Closing balance', figure(end))}</dl>
<table>
<caption>Movements in ${account.currency}; times are UTC</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Movement</th><th scope="col">Reference</th><th scope="col" class="figure">Amount</th><th scope="col" class="figure">Balance</th></tr></thead>
<tbody>
${sumRow('Opening balance', from, figure(opening))}`
}

function sumRow(label: string, at: Date, balance: string): Html {
  return html`<tr class="sum"><td class="when" data-label="Time">${formatMinute(at)}</td><th scope="row" data-label="">${label}</th><td></td><td></td><td class="figure" data-label="Balance">${balance}</td></tr>
`
}

function renderMovement({ at, kind, amount, balance, origin }: Line, figure: FormatAmount): Html {
  return html`<tr><td class="when" data-label="Time">${formatMinute(at)}</td><td data-label="Movement"><span>${isFee(kind) ? KIND_WORDS[kind] : renderDescription(KIND_WORDS[kind], origin)}</span></td><td class="reference" data-label="Reference">${origin.reference ?? ''}</td><td class="figure" data-label="Amount">${figure(amount)}</td><td class="figure" data-label="Balance">${figure(balance)}</td></tr>
`
}

/** A fee row names no payee: it follows its payment, whose row does. */
function isFee(kind: Line['kind']): boolean {
  return kind === 'FEE' || kind === 'FEE_REFUND'
}

function renderDescription(label: string, origin: Line['origin']): Html {
  const other = describeParty(origin.counterparty)
  const { description } = origin
  return html`${label}${other !== '' && html`<small>${other}</small>`}${description && html`<small>${description}</small>`}`
}

function renderClosingRows({ to, closing: end, lines }: Statement, figure: FormatAmount): Html {
  return html`${sumRow('Closing balance', to, figure(end))}</tbody></table>
${lines.length === 0 && html`<p class="soft">Nothing was posted in this period.</p>`}`
}

function holdsHead({ account, to, held: sum, closing: end }: Statement, figure: FormatAmount): Html {
  return html`<h2>Held at the end</h2>
<p>${figure(sum)} ${account.currency} of the closing balance was held at ${formatMinute(to)} UTC, so ${figure(end - sum)} ${account.currency} was available.</p>
<table>
<thead><tr><th scope="col">Since</th><th scope="col">For</th><th scope="col">Reference</th><th scope="col" class="figure">Amount</th></tr></thead>
<tbody>
`
}

function holdRow({ since, amount, origin }: Hold, figure: FormatAmount): Html {
  return html`<tr><td class="when" data-label="Since">${formatMinute(since)}</td><td data-label="For"><span>${renderDescription(KIND_WORDS[origin.kind], origin)}</span></td><td class="reference" data-label="Reference">${origin.reference ?? ''}</td><td class="figure" data-label="Amount">${figure(amount)}</td></tr>
`
}

function renderFoot({ createdAt, account }: Statement): Html {
  return html`<footer><p>Created ${formatMinute(createdAt)} UTC. A payment and its fee are two lines of one movement. ${account.currency} has ${CURRENCIES[account.currency].decimals} decimal places.</p></footer>
</main>
</body>
</html>
`
}
