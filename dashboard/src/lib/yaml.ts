/** A document as YAML that `carillon apply` reads: plain where that is safe, otherwise quoted as JSON, which YAML contains. */
const plain = /^[A-Za-z/_][A-Za-z0-9 _./@+-]*$/;
const words = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

function scalar(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) && !words.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value);
  return JSON.stringify(value ?? null);
}
const isEmpty = (value: unknown): boolean => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

export function yamlOf(value: unknown, indent = ''): string {
  if (isEmpty(value)) return `${indent}${scalar(value)}\n`;
  if (Array.isArray(value))
    return value.map((one) => (isEmpty(one) ? `${indent}- ${scalar(one)}\n` : `${indent}- ${yamlOf(one, `${indent}  `).slice(indent.length + 2)}`)).join('');
  return Object.entries(value as object)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]) => (isEmpty(one) ? `${indent}${scalar(key)}: ${scalar(one)}\n` : `${indent}${scalar(key)}:\n${yamlOf(one, `${indent}  `)}`))
    .join('');
}
