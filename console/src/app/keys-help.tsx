import { Kbd, Modal } from '@mantine/core'
import { PLACES } from './navigation.ts'

const GROUPS: readonly (readonly [
  title: string,
  keys: readonly (readonly [keys: string, effect: string])[],
])[] = [
  [
    'Everywhere',
    [
      ['/', 'Search'],
      ['Ctrl K', 'Search, also while you type; ⌘ K on a Mac'],
      ['?', 'Show keyboard shortcuts'],
    ],
  ],
  [
    'Lists',
    [
      ['j', 'Next row'],
      ['k', 'Previous row'],
      ['↓ ↑', 'Next or previous row within a list'],
      ['Enter', 'Open the row'],
      ['x', 'Select the row'],
    ],
  ],
  [
    'Approvals and verifications',
    [
      ['a', 'Approve the record or the selected rows'],
      ['r', 'Reject the record or the selected rows'],
      ['j k', 'Next or previous record'],
      ['Enter', 'Confirm; Ctrl Enter in a reason field'],
      ['Esc', 'Cancel'],
    ],
  ],
  ['Go to', PLACES.map(({ key, title }) => [`g ${key}`, title] as const)],
]

/** Lists the keyboard shortcuts. */
export function KeysHelp({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  return (
    <Modal opened={isOpen} onClose={close} title="Keys" size="lg">
      <div className="keys">
        {GROUPS.map(([title, keys]) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            <dl>
              {keys.map(([pressed, effect]) => (
                <div key={pressed} className="key">
                  <dt>
                    {pressed.split(' ').map((label) => (
                      <Kbd key={label} size="xs">
                        {label}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{effect}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
