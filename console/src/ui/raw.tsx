import { rawJson } from './words.ts'

/** The exact data, as sent. */
export function Raw({ of, title = 'Raw' }: { readonly of: unknown; readonly title?: string }) {
  return (
    <details className="raw">
      <summary>{title}</summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {typeof of === 'string' ? of : rawJson(of)}
      </pre>
    </details>
  )
}
