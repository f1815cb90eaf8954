import { findPagePathById } from '../app/page-paths.ts'
import { TextLink } from './text-link.tsx'
import { rawJson } from './words.ts'

const RECORD_ID = /("[A-Z][A-Za-z]+:[0-9a-f-]{36}")/

/** A value as JSON with the names of the API, whose ids lead to their records. */
export function Json({ of }: { readonly of: unknown }) {
  return (
    <pre
      className="json"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {rawJson(of)
        .split(RECORD_ID)
        .map((part, at) => (
          // The parts never change their order.
          <Part key={at} text={part} />
        ))}
    </pre>
  )
}

function Part({ text }: { readonly text: string }) {
  const to = RECORD_ID.test(text) ? findPagePathById(text.slice(1, -1)) : undefined
  return to === undefined ? text : <TextLink to={to}>{text}</TextLink>
}
