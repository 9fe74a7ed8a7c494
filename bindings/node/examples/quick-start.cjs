const { createProcessSandbox } = require('@suaveplan/sandbox')

async function main() {
  const sandbox = createProcessSandbox()
  const { value } = await sandbox.run('return words.map((word) => word.length)', { words: ['glass', 'cover'] })
  console.log(JSON.stringify(value)) // → [5,5]
  await sandbox.dispose()
}

main()
