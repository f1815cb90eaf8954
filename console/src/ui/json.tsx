import { findPagePathById } from '../app/page-paths.ts'
import { TextLink } from './text-link.tsx'
import { formatJson } from './words.ts'

const RECORD_ID = /("[A-Z][A-Za-z]+:[0-9a-f-]{36}")/

/** Shows a value as JSON with the API's field names. Ids link to their records. */
export function Json({ value }: { readonly value: unknown }) {
  return (
    <pre
      className="json"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {formatJson(value)
        .split(RECORD_ID)
        .map((part, index) => (
          // The parts never change their order, so the index is a stable key.
          <Part key={index} text={part} />
        ))}
    </pre>
  )
}

function Part({ text }: { readonly text: string }) {
  const to = RECORD_ID.test(text) ? findPagePathById(text.slice(1, -1)) : undefined
  return to === undefined ? text : <TextLink to={to}>{text}</TextLink>
}
