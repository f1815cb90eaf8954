import { findNearest } from '../formats/did-you-mean.ts'

/** All variables with this prefix that the server reads. docs/operations.md explains them. */
const SETTINGS = [
  'COUNTERSIGN_BASE_PATH',
  'COUNTERSIGN_CONNECTIONS_MAX',
  'COUNTERSIGN_DATA_DIR',
  'COUNTERSIGN_DRAIN_SECONDS',
  'COUNTERSIGN_FEES',
  'COUNTERSIGN_MASTER_KEY',
  'COUNTERSIGN_MODE',
  'COUNTERSIGN_NEW_MASTER_KEY',
  'COUNTERSIGN_REQUEST_LINES',
  'COUNTERSIGN_STOP_SECONDS',
  'COUNTERSIGN_WIRE_WORD',
] as const

/** Variables of the command line and of the tools for agents, which may be set in the same shell. */
const SETTINGS_OF_CLIENTS = [
  'COUNTERSIGN_AGENT_TOKEN',
  'COUNTERSIGN_AGENT_TOKEN_FILE',
  'COUNTERSIGN_BASE_URL',
  'COUNTERSIGN_DEVICE_CODE',
] as const

/**
 * A warning for each unknown variable that looks like a setting, which would otherwise be silently ignored.
 */
export function listSettingWarnings(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>([...SETTINGS, ...SETTINGS_OF_CLIENTS])
  return Object.keys(env)
    .filter((name) => name.startsWith('COUNTERSIGN_') && !known.has(name))
    .map((name) => `${name} is not a setting${suggestSetting(name)}`)
}

function suggestSetting(name: string): string {
  const setting = findNearest(name, SETTINGS)
  return setting ? `; did you mean ${setting}?` : '.'
}
